#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "app/config/config.hpp"
#include "base/guid.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::app {

/// A command cannot be carried out; nothing was changed.
class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct TokenRequest {
  std::string business;  // name or guid
  std::string plan;      // "standard" if empty
  std::string name = "command line";
  std::string role = "admin";
};

struct CreatedToken {
  std::string token;
  std::string plan;  // plan of the business
};

struct FoundBusiness {
  Guid guid;
  std::string plan;
};

/// Returns the business with this name or guid, nullopt if there is none. Throws CommandError if several have
/// the name: names are not unique, because a registration chooses one freely.
std::optional<FoundBusiness> find_business(storage::blocking::Connection& session,
                                           const std::string& name_or_guid);

/// Creates an API token, and its business if none has that name. Throws CommandError for an unknown plan, an
/// invalid name or a name that several businesses have; StatementError; DatabaseUnavailable.
CreatedToken create_token(const std::string& database_url, const Config& config, const TokenRequest& request);

/// `business` is a name or guid. Throws CommandError for an unknown plan or business, or a name that several
/// businesses have.
void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan);

}  // namespace waybill::app
