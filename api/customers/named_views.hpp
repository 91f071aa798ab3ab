#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

/// The saved views of a user.
struct UserViews {
  Guid user;
  json::array named;   // those whose name or query holds a word of a person
  json::array others;  // the rest
};

/// Divides saved views by the words of a person, in lower case. A query is searched as it is written and
/// percent-decoded.
UserViews divide_views(storage::Session& session, const Guid& user, const json::array& views,
                       const std::vector<std::string>& words);

/// The views of the next users of a business after `after`, at most `size`.
std::vector<UserViews> views_of_users(storage::Session& session, const Guid& business, const Guid& after,
                                      std::size_t size, const std::vector<std::string>& words);

/// Deletes the views of a user whose name or query holds a word. Others that the user saves at the same time
/// stay.
void erase_views(storage::Session& session, const Guid& business, const Guid& user,
                 const std::vector<std::string>& words);

}  // namespace waybill::api
