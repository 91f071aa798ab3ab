#pragma once

#include <cstdint>
#include <string_view>

namespace waybill::api {

/// The kinds of calls that a job can perform. The names are those of the API and of the table.
enum class JobKind : std::uint8_t { import, upload, replay, cancel, erasure, export_, backtest };
inline constexpr std::string_view job_kind_names[] = {"import",  "upload", "replay",  "cancel",
                                                      "erasure", "export", "backtest"};

}  // namespace waybill::api
