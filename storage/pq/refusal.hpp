#pragma once

#include <string>

namespace waybill::storage::pq {

/// Tries for at most two seconds to open a session, and returns the SQLSTATE with which a server of the URL
/// refuses it; "" if none refuses it. The message of a refusal is in the server's language, its SQLSTATE is
/// not.
std::string refusal_of(const std::string& url);

}  // namespace waybill::storage::pq
