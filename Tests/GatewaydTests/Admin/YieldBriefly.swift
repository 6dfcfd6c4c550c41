import Glibc

/// Lets other threads run.
func yieldBriefly() { usleep(1000) }
