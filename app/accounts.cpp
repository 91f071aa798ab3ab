#include "app/accounts.hpp"

#include <optional>

#include "api/gate/quota.hpp"
#include "api/route/schema.hpp"
#include "base/token.hpp"
#include "base/utf8.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql.hpp"

namespace waybill::app {
namespace {

constexpr std::size_t longest_name = 200;

void check_plan(const Config& config, const std::string& plan) {
  if (api::Plans::parse(config.plans).find(plan) == nullptr)
    throw CommandError("there is no plan \"" + plan + "\"");
}

void check_name(const std::string& label, const std::string& name) {
  if (!is_utf8(name)) throw CommandError(label + " must be UTF-8");
  if (api::is_blank(name) || count_characters(name) > longest_name) {
    throw CommandError(label + " must have 1 to " + std::to_string(longest_name) +
                       " characters, and not only blanks");
  }
}

/// The guid and plan of the business with this name or guid; no row if there is none. Names are not unique:
/// a registration chooses one freely. `session` is a Connection or a Transaction.
template <typename Session>
pqxx::result find_business(Session& session, const std::string& name_or_guid) {
  pqxx::result found = session.run(storage::sql::businesses::find_by_name, name_or_guid);
  if (found.size() > 1) {
    std::string message = "several businesses are called \"" + name_or_guid + "\"; give the guid of one:";
    for (const auto& row : found) {
      message.append("\n  ").append(row["guid"].c_str()).append("  created ").append(row["made"].c_str());
    }
    throw CommandError(message);
  }
  return found;
}

}  // namespace

CreatedToken create_token(const std::string& database_url, const Config& config,
                          const TokenRequest& request) {
  const std::string plan = request.plan.empty() ? "standard" : request.plan;
  check_plan(config, plan);
  check_name("the business's name", request.business);
  check_name("the token's name", request.name);
  const std::string token = make_token();

  storage::blocking::Connection session(database_url, "waybill token");
  return session.transact([&](storage::blocking::Transaction& transaction) -> CreatedToken {
    transaction.run(storage::sql::businesses::lock_name, request.business);
    pqxx::result business = find_business(transaction, request.business);
    if (business.empty()) {
      business = transaction.run(storage::sql::businesses::create, request.business, plan);
    }
    const pqxx::row row = business.at(0);
    transaction.run(storage::sql::tokens::create, row["guid"].as<Guid>(), request.name, request.role,
                    token_hash(token), std::optional<Time>());
    return {token, row["plan"].as<std::string>()};
  });
}

void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan) {
  check_plan(config, plan);
  storage::blocking::Connection session(database_url, "waybill business");
  const pqxx::result found = find_business(session, business);
  if (found.empty()) throw CommandError("there is no business \"" + business + "\"");
  session.run(storage::sql::businesses::set_plan, found.at(0)["guid"].as<Guid>(), plan);
}

}  // namespace waybill::app
