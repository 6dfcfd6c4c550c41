#pragma once
/// What Swift cannot see of Linux through Glibc: calls behind _GNU_SOURCE, variadics and macros.
