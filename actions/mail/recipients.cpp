#include "actions/mail/recipients.hpp"

#include <algorithm>
#include <stdexcept>

#include "actions/definition.hpp"
#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "domain/values/email.hpp"
#include "net/mail/mail.hpp"
#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_characters = 10'000;

bool is_mustache(std::string_view text) { return text.find("{{") != std::string_view::npos; }

/// True if a Mustache text has a section, so that its values may be repeated, or changes its delimiters.
bool has_sections(std::string_view text) {
  for (std::size_t at = text.find("{{"); at < text.size(); at = text.find("{{", at + 1)) {
    const std::size_t sigil = text.find_first_not_of(" \t\r\n", at + 2);
    if (sigil < text.size() && std::string_view("#^=>").find(text[sigil]) != std::string_view::npos)
      return true;
  }
  return false;
}

std::optional<std::string> text_problem(std::string_view text) {
  if (count_characters(text) > max_characters) return "must not be longer than 10000 characters";
  if (is_mustache(text)) return templates::mustache_problem(text);
  const auto addresses = split_addresses(text);
  if (addresses.empty()) return "must name a recipient";
  if (addresses.size() > max_recipients) return "must not name more than 100 recipients";
  for (const std::string& address : addresses) {
    if (!net::parse_mailbox(address)) return "\"" + address + "\" is not a mail address";
  }
  return std::nullopt;
}

std::vector<std::string_view> texts_of(const json::value& recipient) {
  std::vector<std::string_view> texts;
  if (const auto* const text = recipient.if_string()) {
    texts.emplace_back(*text);
  } else if (const auto* const list = recipient.if_array()) {
    for (const json::value& entry : *list) texts.emplace_back(entry.as_string());
  }
  return texts;
}

/// Returns the address in `Some, name <address>`; any other text is returned unchanged.
std::string without_name(const std::string& text) {
  const std::size_t opening = text.rfind('<');
  if (opening == std::string::npos || !text.ends_with('>')) return text;
  return text.substr(opening + 1, text.size() - opening - 2);
}

class Recipients {
 public:
  void add(std::string text) {
    text = templates::single_line(text);
    auto mailbox = net::parse_mailbox(text);
    if (!mailbox) return;
    std::string key = ascii_lower(mailbox->address);
    if (std::ranges::find(seen_, key) != seen_.end()) return;
    if (seen_.size() == max_recipients) throw std::length_error("a mail has at most 100 recipients");
    seen_.push_back(std::move(key));
    all_.push_back(std::move(text));
  }

  /// Adds the address in the text of one recipient, which may be what a shop's customer typed.
  void add_single(const std::string& text) {
    std::string line = templates::single_line(text);
    const auto mailbox = net::parse_mailbox(line);
    if (mailbox && mailbox->name.empty()) line = mailbox->address;
    if (!mailbox || !domain::is_email(mailbox->address)) {
      if (auto email = domain::email_in(line)) {
        line = *std::move(email);
      } else if (!mailbox) {
        line = without_name(line);
      }
    }
    add(std::move(line));
  }

  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> seen_;  // addresses in lower case
  std::vector<std::string> all_;
};

}  // namespace

std::vector<std::string> split_addresses(std::string_view list) {
  std::vector<std::string> addresses;
  std::string address;
  bool quoted = false;
  const auto finish = [&] {
    if (const auto text = trimmed(address); !text.empty()) addresses.emplace_back(text);
    address.clear();
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if ((list[i] == ',' || list[i] == ';') && !quoted) {
      finish();
      continue;
    }
    if (list[i] == '"') quoted = !quoted;
    address += list[i];
    if (quoted && list[i] == '\\' && i + 1 < list.size()) address += list[++i];
  }
  finish();
  return addresses;
}

FieldErrors recipient_problems(const json::value& recipient, std::string_view field) {
  FieldErrors problems;
  const auto check = [&](const json::value& entry, std::string name, const char* otherwise) {
    const auto* const text = entry.if_string();
    auto problem = text == nullptr ? std::optional<std::string>(otherwise) : text_problem(*text);
    if (problem) problems.push_back({std::move(name), std::move(*problem)});
  };
  const auto* const list = recipient.if_array();
  if (list == nullptr) {
    check(recipient, std::string(field), "must be an address, several, or Mustache");
  } else if (list->empty()) {
    problems.push_back({std::string(field), "must name a recipient"});
  } else if (list->size() > max_recipients) {
    problems.push_back({std::string(field), "must not name more than 100 recipients"});
  } else {
    for (std::size_t i = 0; i < list->size(); ++i)
      check((*list)[i], std::string(field) + '[' + std::to_string(i) + ']', "must be a string");
  }
  return problems;
}

void collect_addresses(const json::value& recipient, std::set<std::string>& addresses) {
  for (const std::string_view text : texts_of(recipient)) {
    if (is_mustache(text)) continue;
    for (const std::string& address : split_addresses(text)) {
      if (const auto mailbox = net::parse_mailbox(address)) addresses.insert(ascii_lower(mailbox->address));
    }
  }
}

std::vector<std::string> resolve_recipients(const json::value& recipient,
                                            const std::function<std::string(std::string_view)>& render) {
  Recipients recipients;
  for (const std::string_view text : texts_of(recipient)) {
    if (!is_mustache(text)) {
      for (std::string& address : split_addresses(text)) recipients.add(std::move(address));
    } else if (has_sections(text)) {
      for (const std::string& address : split_addresses(render(text))) recipients.add_single(address);
    } else {
      for (const std::string& piece : split_addresses(text)) recipients.add_single(render(piece));
    }
  }
  return recipients.take();
}

}  // namespace waybill::actions
