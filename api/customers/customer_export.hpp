#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

struct CustomerExport {
  Guid business;
  Guid customer;
  std::string public_url;  // of the service, for links to tracking pages
  Time at;
};

/// Writes everything that is stored about a customer as one JSON document. `write` gets it in parts, row by
/// row, so that it is never all in memory; when it returns false, the document ends there. Returns false if
/// the business has no such customer, in which case nothing is written. Throws DatabaseUnavailable or
/// StatementError.
bool export_customer(storage::Session& session, const CustomerExport& wanted,
                     const std::function<bool(std::string_view part)>& write);

}  // namespace waybill::api
