#include <iostream>

#include "app/commands/command.hpp"
#include "net/web_push/vapid.hpp"

namespace waybill::app {

void add_vapid_keys(const Command& program) {
  program.add("vapid-keys", "Prints a new key pair for push messages (VAPID)").runs([](const Config&) {
    const auto keys = net::make_vapid_keys();
    std::cout << "public " << keys.public_key << "\nprivate " << keys.private_key << '\n';
    return 0;
  });
}

}  // namespace waybill::app
