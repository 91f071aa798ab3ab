#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace waybill::storage::pq {

/// Asks all hosts of the URL at once, for at most two seconds, and returns the names ("db2:5432") of those
/// that are different primaries: after a fail-over, an old primary that started again takes writes that are
/// lost. Two names of one server, such as two poolers, count once. A stop ends the questions; the hosts that
/// have not answered are then left out. Only the look-up of a host's name is not limited.
std::vector<std::string> primaries_of(const std::string& url, const std::stop_token& stop = {});

}  // namespace waybill::storage::pq
