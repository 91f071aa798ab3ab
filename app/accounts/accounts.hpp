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

struct LinkRequest {
  std::string business;  // guid, or the operator's name
  std::string role = "admin";
};

/// Makes a one-time link to the console: a URL that opens a session of the business once, within 10 minutes.
/// `service_url` is that of the service for its users, without a trailing slash. Throws CommandError if it
/// allows no session cookie, if there is no such business, or if the operator gave the name to several;
/// StatementError; DatabaseUnavailable.
std::string make_console_link(const std::string& database_url, const std::string& service_url,
                              const LinkRequest& request);

/// `business` is a guid or the operator's name. Throws CommandError for an unknown plan or business, or a
/// name that the operator gave to several businesses.
void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan);

}  // namespace waybill::app
