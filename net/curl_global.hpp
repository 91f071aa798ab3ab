#pragma once

namespace waybill::net {

/// Sets libcurl's global state up, which lives as long as the process; races with nothing. Throws
/// std::runtime_error.
void initialise_curl();

/// For a thread of libcurl's: a connection closed by the other side must give an error, not end the process.
void block_sigpipe();

}  // namespace waybill::net
