#include <iostream>
#include <memory>

#include "app/accounts/accounts.hpp"
#include "app/commands/command.hpp"
#include "app/config/addresses.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {

void add_console_link(const Command& program) {
  const Command command = program.add(
      "console-link", "Prints a link that opens the console without a password, once and within 10 minutes");
  const auto request = std::make_shared<LinkRequest>();
  command.option("--business", request->business,
                 "The business's guid, or the name that the operator gave it", {.is_required = true});
  command.option("--role", request->role, "owner, admin, operator or viewer",
                 {.shows_default = true, .allowed = {"owner", "admin", "operator", "viewer"}});
  command.runs([request](const Config& config) {
    const CommandDatabase database(config);
    std::cout << make_console_link(database.url(), service_url(config), *request) << '\n';
    return 0;
  });
}

}  // namespace waybill::app
