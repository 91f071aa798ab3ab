#include "app/accounts.hpp"

#include <optional>

#include "api/gate/quota.hpp"
#include "api/route/schema.hpp"
#include "base/token.hpp"
#include "base/utf8.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql/businesses.sql.hpp"
#include "storage/sql/tokens.sql.hpp"

namespace waybill::app {
namespace {

namespace sql = storage::sql::businesses;

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

struct Business {
  Guid guid;
  std::string plan;
};

/// Returns the business with this name or guid, nullopt if there is none. Names are not unique: a
/// registration chooses one freely. `session` is a Connection or a Transaction.
template <typename Session>
std::optional<Business> find_business(Session& session, const std::string& name_or_guid) {
  const auto found = session.run(sql::FindByName{.name_or_guid = name_or_guid});
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) {
    std::string message = "several businesses are called \"" + name_or_guid + "\"; give the guid of one:";
    for (const auto& business : found) {
      message.append("\n  ").append(business.guid.to_string()).append("  created ").append(business.made);
    }
    throw CommandError(message);
  }
  return Business{found.front().guid, std::string(found.front().plan)};
}

Business create_business(storage::blocking::Transaction& transaction, const std::string& name,
                         const std::string& plan) {
  const auto created = transaction.run(sql::Create{.name = name, .plan = plan});
  return {created.front().guid, std::string(created.front().plan)};
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
    transaction.run(sql::LockName{.name = request.business});
    auto business = find_business(transaction, request.business);
    if (!business) business = create_business(transaction, request.business, plan);
    transaction.run(storage::sql::tokens::Create{.business = business->guid,
                                                 .name = request.name,
                                                 .role = request.role,
                                                 .token_hash = token_hash(token)});
    return {token, business->plan};
  });
}

void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan) {
  check_plan(config, plan);
  storage::blocking::Connection session(database_url, "waybill business");
  const auto found = find_business(session, business);
  if (!found) throw CommandError("there is no business \"" + business + "\"");
  session.run(sql::SetPlan{.business = found->guid, .plan = plan});
}

}  // namespace waybill::app
