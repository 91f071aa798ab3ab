#pragma once

#include <cstdint>
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

/// The names by which a business is found. A registration chooses a name freely, and a business can rename
/// itself, so a command that gives something away takes the operator's names only.
enum class Names : std::uint8_t {
  any,
  operators,  // given by the operator and not changed by the business
};

/// Returns the business with this guid or with one of the `names`, nullopt if there is none. Throws
/// CommandError with the guids if several have the name.
std::optional<FoundBusiness> find_business(storage::blocking::Connection& session,
                                           const std::string& name_or_guid, Names names);

/// Creates an API token, and its business if none has that name from the operator. Throws CommandError for an
/// unknown plan, an invalid name or a name that the operator gave to several businesses; StatementError;
/// DatabaseUnavailable.
CreatedToken create_token(const std::string& database_url, const Config& config, const TokenRequest& request);

/// `business` is a guid or the operator's name. Throws CommandError for an unknown plan or business, or a
/// name that the operator gave to several businesses.
void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan);

}  // namespace waybill::app
