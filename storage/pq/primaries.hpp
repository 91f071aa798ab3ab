#pragma once

#include <string>
#include <vector>

namespace waybill::storage::pq {

/// Asks each host of the URL, for at most two seconds, and returns the names ("db2:5432") of those that are
/// different primaries: after a fail-over, an old primary that started again takes writes that are lost. Two
/// names of one server, such as two poolers, count once.
std::vector<std::string> primaries_of(const std::string& url);

}  // namespace waybill::storage::pq
