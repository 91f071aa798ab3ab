#include <iostream>
#include <memory>

#include "app/accounts/accounts.hpp"
#include "app/commands/command.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {

void add_token(CLI::App& program, Chosen& chosen) {
  CLI::App* token = program.add_subcommand("token", "Manages API tokens")->require_subcommand(1);
  CLI::App* create = token->add_subcommand("create", "Creates a token and prints it; it is shown only once");
  auto request = std::make_shared<TokenRequest>();
  create
      ->add_option("--business", request->business,
                   "The business's guid, or the name that the operator gave it; created if there is none")
      ->required();
  create->add_option("--plan", request->plan, "The plan of a newly created business [standard]");
  create->add_option("--name", request->name, "The token's name in lists")->capture_default_str();
  create->add_option("--role", request->role, "owner, admin, operator or viewer")
      ->capture_default_str()
      ->check(CLI::IsMember({"owner", "admin", "operator", "viewer"}));
  create->callback([&chosen, request] {
    chosen.run = [request](const Config& config) {
      const CommandDatabase database(config);
      const CreatedToken created = create_token(database.url(), config, *request);
      if (!request->plan.empty() && created.plan != request->plan) {
        std::cerr << "the business exists and keeps its plan " << created.plan
                  << "; change it with `waybill business set-plan`\n";
      }
      std::cout << created.token << '\n';
      return 0;
    };
  });
}

}  // namespace waybill::app
