#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "storage/database.hpp"

namespace waybill::matching {

struct StoredTexts {
  std::string business_name;
  json::object templates;  // what an action's definition has as "templates" (actions/stored_templates.hpp)
};

/// The templates with these codes, and those they include, of a business or built-in. Throws like
/// storage::Database::read.
boost::asio::awaitable<StoredTexts> stored_texts(storage::Database& database, const Guid& business,
                                                 const std::vector<std::string>& codes);

}  // namespace waybill::matching
