#include "app/accounts.hpp"

#include <optional>

#include "api/quota.hpp"
#include "base/token.hpp"
#include "storage/sql.hpp"
#include "storage/sync.hpp"

namespace waybill::app {
namespace {

constexpr std::size_t longest_name = 200;

void check_plan(const Config& config, const std::string& plan) {
  if (api::Plans::parse(config.plans).find(plan) == nullptr)
    throw CommandError("there is no plan \"" + plan + "\"");
}

void check_name(const std::string& what, const std::string& name) {
  if (name.empty() || name.size() > longest_name) {
    throw CommandError(what + " must have 1 to " + std::to_string(longest_name) + " characters");
  }
}

}  // namespace

CreatedToken create_token(const std::string& database_url, const Config& config,
                          const TokenRequest& request) {
  const std::string plan = request.plan.empty() ? "standard" : request.plan;
  check_plan(config, plan);
  check_name("the business's name", request.business);
  check_name("the token's name", request.name);
  const std::string token = make_token();

  storage::Session session(database_url, "waybill token");
  storage::Work work(session);
  session.run(storage::sql::businesses::lock_name, request.business);
  storage::Rows business = session.run(storage::sql::businesses::find_by_name, request.business);
  if (business.empty()) business = session.run(storage::sql::businesses::create, request.business, plan);
  session.run(storage::sql::tokens::create, business.get(0, 0), request.name, request.role, token_hash(token),
              std::optional<std::string>());
  work.commit();
  return {token, std::string(business.get(0, 1))};
}

void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan) {
  check_plan(config, plan);
  storage::Session session(database_url, "waybill business");
  if (session.run(storage::sql::businesses::set_plan, business, plan).affected() == 0) {
    throw CommandError("there is no business \"" + business + "\"");
  }
}

}  // namespace waybill::app
