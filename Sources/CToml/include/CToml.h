#pragma once
/// toml++ behind a C header: no C++ type leaves this target.
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __cplusplus
}
#endif
