#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "storage/database/database.hpp"

namespace waybill::matching {

struct StoredTexts {
  std::string business_name;
  std::string sender_name;    // name in the business's mails; may be empty
  std::string reply_to;       // address for replies; may be empty
  json::object templates;     // as actions use them (actions/stored_templates.hpp)
  std::string zone_offsets;   // of the business's time zone (domain/time/local_date.hpp)
  bool email_enabled = true;  // the business's switches of notifications
  bool push_enabled = true;
};

/// The stored or built-in templates with these codes, and those that they include. Throws like
/// storage::Database::read.
boost::asio::awaitable<StoredTexts> stored_texts(storage::Database& database, const Guid& business,
                                                 const std::vector<std::string>& codes);

}  // namespace waybill::matching
