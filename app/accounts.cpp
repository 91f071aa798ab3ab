#include "app/accounts.hpp"

#include <optional>

#include "api/gate/quota.hpp"
#include "api/route/schema.hpp"
#include "base/token.hpp"
#include "base/utf8.hpp"
#include "storage/fields.hpp"
#include "storage/session.hpp"
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
/// a registration chooses one freely.
storage::Rows find_business(storage::Session& session, const std::string& name_or_guid) {
  storage::Rows found = session.run(storage::sql::businesses::find_by_name, name_or_guid);
  if (found.size() > 1) {
    std::string message = "several businesses are called \"" + name_or_guid + "\"; give the guid of one:";
    storage::for_each_row(found, [&](const storage::RowView& row) {
      message.append("\n  ").append(row.string(0)).append("  created ").append(row.string(2));
    });
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

  storage::Session session(database_url, "waybill token");
  storage::Work work(session);
  session.run(storage::sql::businesses::lock_name, request.business);
  storage::Rows business = find_business(session, request.business);
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
  const storage::Rows found = find_business(session, business);
  if (found.empty()) throw CommandError("there is no business \"" + business + "\"");
  session.run(storage::sql::businesses::set_plan, found.get(0, 0), plan);
}

}  // namespace waybill::app
