#pragma once

namespace waybill::net {

/// Initialises libcurl's global state, which lives as long as the process. Thread-safe. Throws
/// std::runtime_error.
void initialise_curl();

/// For threads that run libcurl: a connection closed by the other side gives an error instead of SIGPIPE.
void block_sigpipe();

}  // namespace waybill::net
