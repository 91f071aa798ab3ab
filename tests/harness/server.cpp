#include "tests/harness/server.hpp"

#include <csignal>
#include <fstream>
#include <stdexcept>

#include "app/accounts/accounts.hpp"

namespace waybill::tests {
namespace {

// Any 64 hex digits.
void write_key(const std::filesystem::path& file) {
  std::ofstream(file) << std::string(64, '5') << '\n';
  using enum std::filesystem::perms;
  std::filesystem::permissions(file, owner_read | owner_write);
}

Finished run_waybill(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), waybill_binary());
  return run(arguments);
}

}  // namespace

Waybill::Waybill(std::string database_url, Options options)
    : options_(std::move(options)),
      database_url_(std::move(database_url)),
      directory_(std::make_unique<TempDirectory>()) {
  if (!options_.data_dir.empty() && options_.secret_key_file.empty()) {
    options_.secret_key_file = std::filesystem::path(options_.data_dir) / "secret.key";
  } else if (options_.secret_key_file.empty()) {
    options_.secret_key_file = *directory_ / "secret.key";
    write_key(options_.secret_key_file);
  }
  start();
}

Waybill::~Waybill() {
  if (!process_) return;
  process_->kill_tree();
}

void Waybill::start() {
  const bool serves = options_.command != "worker";
  const bool own_cluster = !options_.data_dir.empty();
  std::vector<std::string> command = options_.prefix;
  command.insert(command.end(), {options_.program.empty() ? waybill_binary().string() : options_.program,
                                 options_.command, "--secret-key-file", options_.secret_key_file});
  if (own_cluster) {
    command.insert(command.end(), {"--data-dir", options_.data_dir});
  } else {
    command.insert(command.end(), {"--database-url", database_url_, "--data-dir", directory_->path()});
  }
  if (serves) command.insert(command.end(), {"--listen", options_.listen});
  if (options_.allow_private_destinations) command.emplace_back("--allow-private-destinations");
  command.insert(command.end(), {"--retry-schedule", options_.retry_schedule, "--metrics-listen", "off"});
  command.insert(command.end(),
                 {"--account-mails-per-network", std::to_string(options_.account_mails_per_network)});
  command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());
  process_ = std::make_unique<Process>(
      command, Process::Options{.environment = options_.environment, .death_signal = SIGTERM});

  const auto ready =
      process_->wait_for_line(serves ? "listening on http://" : "worker.started", std::chrono::seconds(60));
  if (!ready) {
    throw std::runtime_error("waybill " + options_.command + " did not start:\n" +
                             process_->standard_output() + process_->standard_error());
  }
  if (serves) {
    port_ = std::stoi(ready->substr(ready->find_last_of(':') + 1));
    host_ = options_.listen.substr(0, options_.listen.find(':'));
  }
  if (own_cluster) {
    const auto line = process_->wait_for_line("database postgresql://");
    if (!line) throw std::runtime_error("waybill up printed no database URL");
    database_url_ = line->substr(line->find("postgresql://"));
  }
}

Http Waybill::http(std::string token) const {
  if (port_ == 0) throw std::logic_error("a worker serves no API");
  return {host_, port_, std::move(token)};
}

std::string Waybill::token(std::string_view business, std::string_view plan) const {
  return create_token(database_url_, business, plan);
}

std::optional<int> Waybill::stop(Deadline deadline) {
  process_->kill(SIGTERM);
  return process_->wait_exit(deadline);
}

std::string create_token(const std::string& database_url, std::string_view business, std::string_view plan) {
  return app::create_token(database_url, {}, {.business = std::string(business), .plan = std::string(plan)})
      .token;
}

void migrate_with_binary(const std::string& database_url) {
  const Finished done = run_waybill({"migrate", "--database-url", database_url});
  if (done.status != 0) throw std::runtime_error("migrate: " + done.standard_error);
}

}  // namespace waybill::tests
