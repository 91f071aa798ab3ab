#include "app/accounts/accounts.hpp"

#include <optional>

#include "api/endpoint/schema.hpp"
#include "api/gate/quota.hpp"
#include "api/http/session_cookie.hpp"
#include "app/accounts/businesses.hpp"
#include "base/blanks.hpp"
#include "base/token.hpp"
#include "base/utf8.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql/businesses.sql.hpp"
#include "storage/sql/console_sessions.sql.hpp"
#include "storage/sql/tokens.sql.hpp"

namespace waybill::app {
namespace {

constexpr std::size_t longest_name = 200;

void check_plan(const Config& config, const std::string& plan) {
  if (api::Plans::parse(config.plans).find(plan) == nullptr)
    throw CommandError("--plan: there is no plan \"" + plan + "\"");
}

void check_name(const std::string& option, const std::string& name) {
  if (!is_utf8(name)) throw CommandError(option + " must be UTF-8");
  if (is_blank(name) || count_characters(name) > longest_name) {
    throw CommandError(option + " must have 1 to " + std::to_string(longest_name) +
                       " characters, and not only blanks");
  }
}

FoundBusiness create_business(storage::blocking::Transaction& transaction, const std::string& name,
                              const std::string& plan) {
  const auto created = transaction.run(sql::businesses::Create{.name = name, .plan = plan});
  return {created.front().guid, std::string(created.front().plan)};
}

/// Throws CommandError with `problem` and the businesses.
[[noreturn]] void refuse_name(std::string problem,
                              const std::vector<sql::businesses::FindByName::Row>& businesses) {
  problem += "; give the guid of one:";
  for (const auto& business : businesses)
    problem.append("\n  ").append(business.guid.to_string()).append("  created ").append(business.made);
  throw CommandError(problem);
}

template <typename Session>
std::optional<FoundBusiness> find_by_name(Session& session, const std::string& name_or_guid, Names names) {
  const bool is_guid = Guid::parse(name_or_guid).has_value();
  const auto rows = session.run(sql::businesses::FindByName{.name_or_guid = name_or_guid});
  std::vector<sql::businesses::FindByName::Row> found;
  for (const auto& row : rows) {
    if (is_guid || names == Names::any || row.is_operators_name) found.push_back(row);
  }
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) refuse_name("several businesses are called \"" + name_or_guid + '"', found);
  return FoundBusiness{found.front().guid, std::string(found.front().plan)};
}

}  // namespace

std::optional<FoundBusiness> find_business(storage::blocking::Connection& session,
                                           const std::string& name_or_guid, Names names) {
  return find_by_name(session, name_or_guid, names);
}

CreatedToken create_token(const std::string& database_url, const Config& config,
                          const TokenRequest& request) {
  const std::string plan = request.plan.empty() ? "standard" : request.plan;
  check_plan(config, plan);
  check_name("--business", request.business);
  check_name("--name", request.name);
  const std::string token = make_token();

  OperatorSession session(database_url, "waybill token");
  return session.connection().transact([&](storage::blocking::Transaction& transaction) -> CreatedToken {
    transaction.run(sql::businesses::LockName{.name = request.business});
    auto business = find_by_name(transaction, request.business, Names::operators);
    if (!business) business = create_business(transaction, request.business, plan);
    transaction.run(storage::sql::tokens::Create{.business = business->guid,
                                                 .name = request.name,
                                                 .role = request.role,
                                                 .token_hash = token_hash(token)});
    return {token, business->plan};
  });
}

std::string make_console_link(const std::string& database_url, const std::string& service_url,
                              const LinkRequest& request) {
  if (!api::SessionCookie::of(service_url)) {
    throw CommandError("the console needs an https or a loopback address, and not " + service_url +
                       "; give the service's --public-url");
  }
  const std::string secret = make_token();
  OperatorSession session(database_url, "waybill console-link");
  const Guid business = session.find(request.business, Names::operators);
  session.connection().run(storage::sql::console_sessions::MakeLink{.business = business,
                                                                    .role = request.role,
                                                                    .operator_name = session.operator_name(),
                                                                    .link_hash = token_hash(secret)});
  return service_url + "/console/#link=" + secret;
}

void change_plan(const std::string& database_url, const Config& config, const std::string& business,
                 const std::string& plan) {
  check_plan(config, plan);
  OperatorSession session(database_url, "waybill business");
  session.connection().run(
      sql::businesses::SetPlan{.business = session.find(business, Names::operators), .plan = plan});
}

}  // namespace waybill::app
