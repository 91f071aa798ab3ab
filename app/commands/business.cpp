#include <iostream>
#include <memory>

#include "app/accounts.hpp"
#include "app/command_database.hpp"
#include "app/commands/command.hpp"

namespace waybill::app {

void add_business(CLI::App& program, Chosen& chosen) {
  CLI::App* business = program.add_subcommand("business", "Businesses")->require_subcommand(1);
  CLI::App* set_plan = business->add_subcommand("set-plan", "Changes the plan; it acts within a second");
  struct Wanted {
    std::string business;
    std::string plan;
  };
  auto wanted = std::make_shared<Wanted>();
  set_plan->add_option("--business", wanted->business, "The business's name or guid")->required();
  set_plan->add_option("--plan", wanted->plan, "The new plan")->required();
  set_plan->callback([&chosen, wanted] {
    chosen.run = [wanted](const Config& config) {
      const CommandDatabase database(config);
      change_plan(database.url(), config, wanted->business, wanted->plan);
      return 0;
    };
  });
}

}  // namespace waybill::app
