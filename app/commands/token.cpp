#include <iostream>
#include <memory>

#include "api/gate/quota.hpp"
#include "app/accounts/accounts.hpp"
#include "app/commands/command.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {

void add_token(const Command& program) {
  const Command token = program.add_group("token", "Manages API tokens");
  const Command create = token.add("create", "Creates a token and prints it; it is shown only once");
  const auto request = std::make_shared<TokenRequest>();
  create.option("--business", request->business,
                "The business's guid, or the name that the operator gave it; created if there is none",
                {.is_required = true});
  create.option("--plan", request->plan, "The plan of a newly created business [standard]");
  create.option("--name", request->name, "The token's name in lists", {.shows_default = true});
  create.option("--role", request->role, "owner, admin, operator or viewer",
                {.shows_default = true, .allowed = {"owner", "admin", "operator", "viewer"}});
  create.runs([request](const Config& config) {
    const CommandDatabase database(config);
    const CreatedToken created = create_token(database.url(), config, *request);
    if (!request->plan.empty() && created.plan != request->plan) {
      std::cerr << "the business exists and keeps its plan " << created.plan
                << "; change it with `waybill business set-plan`\n";
    }
    const api::Plans plans = api::Plans::parse(config.plans);
    if (const api::Plan* const plan = plans.find(created.plan); plan != nullptr && !plan->api_access) {
      std::cerr << "the API refuses this token while the business has the plan " << created.plan
                << "; change it with `waybill business set-plan`\n";
    }
    std::cout << created.token << '\n';
    return 0;
  });
}

}  // namespace waybill::app
