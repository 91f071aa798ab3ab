#include <iostream>
#include <memory>

#include "app/accounts.hpp"
#include "app/command_database.hpp"
#include "app/commands/command.hpp"

namespace waybill::app {

void add_token(CLI::App& program, Chosen& chosen) {
  CLI::App* token = program.add_subcommand("token", "API tokens")->require_subcommand(1);
  CLI::App* create =
      token->add_subcommand("create", "Makes a token and prints it, the only time it is shown");
  auto wanted = std::make_shared<TokenRequest>();
  create
      ->add_option("--business", wanted->business,
                   "The business's name or guid; made if there is none of that name")
      ->required();
  create->add_option("--plan", wanted->plan, "The plan of a business that is made [standard]");
  create->add_option("--name", wanted->name, "What the token is called in lists")->capture_default_str();
  create->add_option("--role", wanted->role, "owner, admin, operator or viewer")
      ->capture_default_str()
      ->check(CLI::IsMember({"owner", "admin", "operator", "viewer"}));
  create->callback([&chosen, wanted] {
    chosen.run = [wanted](const Config& config) {
      const CommandDatabase database(config);
      const CreatedToken created = create_token(database.url(), config, *wanted);
      if (!wanted->plan.empty() && created.plan != wanted->plan) {
        std::cerr << "the business exists and keeps its plan " << created.plan
                  << "; change it with `waybill business set-plan`\n";
      }
      std::cout << created.token << '\n';
      return 0;
    };
  });
}

}  // namespace waybill::app
