#include <iostream>
#include <memory>

#include "app/accounts.hpp"
#include "app/command_database.hpp"
#include "app/commands/command.hpp"

namespace waybill::app {

void add_business(CLI::App& program, Chosen& chosen) {
  CLI::App* business = program.add_subcommand("business", "Manages businesses")->require_subcommand(1);
  CLI::App* set_plan = business->add_subcommand("set-plan", "Changes the plan; takes effect within a second");
  struct Arguments {
    std::string business;
    std::string plan;
  };
  auto arguments = std::make_shared<Arguments>();
  set_plan->add_option("--business", arguments->business, "The business's name or guid")->required();
  set_plan->add_option("--plan", arguments->plan, "The new plan")->required();
  set_plan->callback([&chosen, arguments] {
    chosen.run = [arguments](const Config& config) {
      const CommandDatabase database(config);
      change_plan(database.url(), config, arguments->business, arguments->plan);
      return 0;
    };
  });
}

}  // namespace waybill::app
