#include "app/config/config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <ranges>
#include <system_error>
#include <toml++/toml.h>
#include <utility>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"

namespace waybill::app {
namespace {

constexpr std::string_view prefix = "WAYBILL_";
constexpr std::string_view config_variable = "WAYBILL_CONFIG";
constexpr std::string_view test_prefix = "WAYBILL_TEST_";
/// Names that programs which call the API give to its address and their token.
constexpr std::array<std::string_view, 2> client_variables = {"WAYBILL_URL", "WAYBILL_TOKEN"};

/// The parts of values that commas separate; none if the only one is empty. Throws ConfigError for an empty
/// part among others.
std::vector<std::string> split(const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    for (const auto part : std::views::split(value, ','))
      parts.emplace_back(trimmed(std::string_view(part.begin(), part.end()), " "));
    if (value.empty()) parts.emplace_back();
  }
  if (parts.size() == 1 && parts.front().empty()) return {};
  if (std::ranges::find(parts, "") != parts.end()) throw ConfigError("must not have an empty entry");
  return parts;
}

/// True for the variables that Kubernetes sets for each service: NAME_SERVICE_HOST, NAME_SERVICE_PORT…,
/// NAME_PORT….
bool is_service_variable(std::string_view name) {
  return name.find("_SERVICE_HOST") != std::string_view::npos ||
         name.find("_SERVICE_PORT") != std::string_view::npos || name.ends_with("_PORT") ||
         name.find("_PORT_") != std::string_view::npos;
}

const Option* find_option(auto matches) {
  const auto found = std::ranges::find_if(options(), matches);
  return found == options().end() ? nullptr : &*found;
}

GivenValues read_environment(std::span<const std::string> environment, std::string& config_file) {
  GivenValues given;
  for (const std::string& entry : environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (!name.starts_with(prefix) || name.starts_with(test_prefix)) continue;
    if (std::ranges::find(client_variables, name) != client_variables.end()) continue;
    const std::string value = name.size() < entry.size() ? entry.substr(name.size() + 1) : "";
    if (name == config_variable) {
      config_file = value;
      continue;
    }
    const Option* option = find_option([&](const Option& row) { return row.variable() == name; });
    if (option != nullptr) {
      if (!value.empty()) given[std::string(option->name)] = {value};
    } else if (!is_service_variable(name)) {
      throw ConfigError("unknown environment variable " + std::string(name) + " (see docs/configuration.md)");
    }
  }
  return given;
}

void check_key(const std::string& path, const std::string& key, std::size_t count) {
  const Option* option = find_option([&](const Option& row) { return row.name == key; });
  if (option == nullptr) throw ConfigError(path + ": unknown key \"" + key + "\"");
  if (!option->repeatable && !option->is_list && count != 1)
    throw ConfigError(path + ": " + key + " takes one value");
}

/// The text of a string, an integer or a boolean; nullopt for other values.
std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const number = node.as_integer()) return std::to_string(number->get());
  if (const auto* const truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return std::nullopt;
}

/// The texts of a value, or of each element of an array; nullopt for other values.
std::optional<std::vector<std::string>> texts_of(const toml::node& node) {
  std::vector<std::string> texts;
  const auto add = [&](const toml::node& value) {
    auto text = scalar_text(value);
    if (text) texts.push_back(std::move(*text));
    return text.has_value();
  };
  const auto* const array = node.as_array();
  const bool all_fit = array == nullptr ? add(node) : std::ranges::all_of(*array, add);
  return all_fit ? std::optional(std::move(texts)) : std::nullopt;
}

/// "FILE: line N: ", or "FILE: " if the file cannot be read.
std::string place(const std::string& path, const toml::source_region& region) {
  const auto line = region.begin.line;
  return path + ": " + (line == 0 ? "" : "line " + std::to_string(line) + ": ");
}

toml::table parse_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw ConfigError(path + ": is a directory");
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw ConfigError(place(path, error.source()) + std::string(error.description()));
  }
}

GivenValues read_file(const std::string& path) {
  GivenValues given;
  for (const auto& [key, node] : parse_file(path)) {
    const std::string name(key.str());
    auto texts = texts_of(node);
    if (!texts) {
      throw ConfigError(place(path, node.source()) + name +
                        " must be a string, an integer, a boolean or an array of these");
    }
    check_key(path, name, texts->size());
    given[name] = std::move(*texts);
  }
  return given;
}

void apply(Config& config, const Option& option, const std::vector<std::string>& values,
           const std::string& source) {
  std::vector<std::string> parts = option.is_list ? std::vector{joined_texts(values, ",")} : values;
  try {
    if (option.repeatable) parts = split(values);
    if (parts.empty()) return;
    option.apply(config, parts);
  } catch (const ConfigError& error) {
    throw ConfigError(source + " " + error.what());
  }
  if (!option.is_common) return;
  config.common[std::string(option.name)] =
      option.common_value ? option.common_value(config) : joined_texts(parts, ",");
}

}  // namespace

Config read_config(const GivenValues& flags, std::span<const std::string> environment) {
  std::string config_file;
  const GivenValues variables = read_environment(environment, config_file);
  if (const auto flag = flags.find("config"); flag != flags.end()) config_file = flag->second.back();
  const GivenValues file = config_file.empty() ? GivenValues() : read_file(config_file);

  Config config;
  for (const Option& option : options()) {
    if (const auto flag = flags.find(option.name); flag != flags.end()) {
      apply(config, option, flag->second, option.flag());
    } else if (const auto variable = variables.find(option.name); variable != variables.end()) {
      apply(config, option, variable->second, option.variable());
    } else if (const auto key = file.find(option.name); key != file.end()) {
      apply(config, option, key->second, config_file + ": " + std::string(option.name));
    } else if (!option.default_text.empty()) {
      apply(config, option, {std::string(option.default_text)}, option.flag());
      continue;
    } else {
      continue;
    }
    if (option.name == "metrics-listen") config.metrics_listen_chosen = true;
  }
  if (config.secret_key_files.empty()) config.secret_key_files = {config.data_dir / "secret.key"};
  if (config.mail_dir.empty()) config.mail_dir = config.data_dir / "mail";
  return config;
}

std::string configuration_document() {
  std::string out =
      "# Configuration\n\n"
      "Generated by `./dev generate` from the option table in `app/config/options.cpp`.\n\n"
      "Every option is a flag of `waybill`, an environment variable and a key of a flat TOML file, which "
      "`--config FILE`\nor `WAYBILL_CONFIG` names. A flag overrides the variable, the variable overrides the "
      "file. Unknown flags, unknown\nkeys and unknown variables beginning with `WAYBILL_` are errors; an "
      "empty variable counts as not set. `WAYBILL_URL` and\n`WAYBILL_TOKEN`, with which clients of the API "
      "may be configured, are ignored. List values are separated by commas; in TOML they may be\narrays. "
      "`waybill COMMAND --help` lists the options that a command uses.\n"
      "`waybill doctor` names running processes that differ in an option that must be the same in all of "
      "them.\n\n"
      "| Flag | Variable | TOML key | Default | Meaning |\n|---|---|---|---|---|\n";
  for (const Option& option : options()) {
    std::string value_name(option.value_name);
    if (const std::size_t bar = value_name.find('|'); bar != std::string::npos)
      value_name.insert(bar, 1, '\\');
    out.append("| `").append(option.flag()).append(value_name.empty() ? "" : " " + value_name);
    out.append("` | `").append(option.variable()).append("` | `").append(option.name).append("` | ");
    out.append(option.default_text.empty() ? "" : "`" + std::string(option.default_text) + "`");
    out.append(" | ").append(option.help);
    if (option.is_common) out.append(" The same in all processes.");
    if (!option.bounds.empty()) out.append(" Bounds: ").append(option.bounds).append(".");
    out.append(" |\n");
  }
  return out;
}

}  // namespace waybill::app
