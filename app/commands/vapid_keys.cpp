#include <iostream>

#include "app/commands/command.hpp"
#include "net/web_push/vapid.hpp"

namespace waybill::app {

void add_vapid_keys(CLI::App& program, Chosen& chosen) {
  program.add_subcommand("vapid-keys", "Prints a new key pair for push messages (VAPID)")
      ->callback([&chosen] {
        chosen.run = [](const Config&) {
          const auto keys = net::make_vapid_keys();
          std::cout << "public " << keys.public_key << "\nprivate " << keys.private_key << '\n';
          return 0;
        };
      });
}

}  // namespace waybill::app
