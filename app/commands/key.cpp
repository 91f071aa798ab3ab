#include <chrono>
#include <iostream>
#include <memory>

#include "app/commands/command.hpp"
#include "app/keys/key_rotation.hpp"
#include "app/keys/keys.hpp"
#include "app/postgres/command_database.hpp"

namespace waybill::app {
namespace {

int rotate(const Config& config, std::chrono::seconds limit) {
  SecretBox secrets(read_keys(config));
  const CommandDatabase database(config);
  const Rotation rotation = rotate_keys(database.url(), secrets, limit);
  std::int64_t unreadable = 0;
  for (const RotatedTable& table : rotation.tables) {
    std::cout << table.name << ": " << table.resealed << " sealed again";
    if (table.unreadable > 0) std::cout << ", " << table.unreadable << " that no key opens";
    std::cout << '\n';
    unreadable += table.unreadable;
  }
  if (rotation.is_complete) {
    std::cout << "only the key of " << config.secret_key_files.front().string() << " is needed now\n";
    return 0;
  }
  std::cerr << (unreadable > 0
                    ? "waybill: values are left that no key opens: name the files of all keys that "
                      "were ever used, or delete these values\n"
                    : "waybill: values are still being sealed with another key: run this again\n");
  return 1;
}

}  // namespace

void add_key(const Command& program) {
  const Command key = program.add_group("key", "Manages the key of the secrets in the database");
  const Command rotation = key.add("rotate",
                                   "Encrypts all secrets with the key of the first "
                                   "--secret-key-file while processes run; afterwards the "
                                   "other keys are not needed");
  const auto seconds = std::make_shared<int>(60);
  rotation.option("--wait", *seconds, "Seconds to wait for running processes to encrypt with the first key",
                  0, 3600);
  rotation.runs([seconds](const Config& config) { return rotate(config, std::chrono::seconds(*seconds)); });
}

}  // namespace waybill::app
