#pragma once

#include <string_view>

namespace waybill::storage {

/// The cause (see Cause) of changes that the service makes by itself, such as the pause of a failing
/// workflow. A session of duties sets it once (sql::audit_log::SetAuthor).
inline constexpr std::string_view system_cause =
    R"({"by":{"type":"system","guid":null,"name":"waybill"},"depth":0})";

}  // namespace waybill::storage
