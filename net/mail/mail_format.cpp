#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>

#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/crypto.hpp"
#include "base/utf8.hpp"
#include "net/destination/ascii_host.hpp"
#include "net/mail/mail.hpp"
#include "net/mail/mail_domain.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t line_length = 78;                  // RFC 5322 section 2.1.1, SHOULD
constexpr std::size_t longest_line = 998;                // RFC 5322 section 2.1.1, MUST
constexpr std::size_t longest_word = longest_line - 80;  // after the longest header name
constexpr std::size_t encoded_word = 75;                 // RFC 2047 section 2
constexpr std::size_t encoded_line = 76;                 // RFC 2047 section 2
constexpr std::size_t quoted_line = 76;                  // RFC 2045 section 6.7
constexpr std::size_t most_recipients = 100;  // accepted by every server (RFC 5321 section 4.5.3.1.8)
constexpr std::size_t longest_address = 254;  // RFC 5321 section 4.5.3.1.3
constexpr std::size_t longest_name = 200;     // characters

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_atom(char c) {  // RFC 5322 section 3.2.3, RFC 6532 section 3.2
  return is_alphanumeric(c) || is_beyond_ascii(c) ||
         std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

bool is_dot_atom(std::string_view text, auto is_part) {
  return !text.empty() && text.front() != '.' && text.back() != '.' &&
         text.find("..") == std::string_view::npos &&
         std::ranges::all_of(text, [&](char c) { return c == '.' || is_part(c); });
}

bool is_address(std::string_view text) {
  const auto at = text.rfind('@');
  const auto is_host = [](char c) { return is_alphanumeric(c) || c == '-' || is_beyond_ascii(c); };
  return at != std::string_view::npos && text.size() <= longest_address && is_utf8(text) &&
         !has_blanks(text) && is_dot_atom(text.substr(0, at), is_atom) &&
         is_dot_atom(text.substr(at + 1), is_host);
}

std::string unquoted(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

/// Replaces control characters by spaces, so that a value cannot break a line.
std::string without_controls(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(result, is_control, ' ');
  return result;
}

/// Appends the text as RFC 2047 encoded words, each of whole characters and on its own line. The first begins
/// at `column` of its line, or on a line of its own where no character fits. Returns the column behind the
/// last.
std::size_t add_encoded_words(std::string& out, std::string_view text, std::size_t column) {
  constexpr std::string_view opening = "=?UTF-8?B?";
  constexpr std::string_view closing = "?=";
  constexpr std::size_t frame = opening.size() + closing.size();
  constexpr std::size_t longest_character = 4;  // bytes of UTF-8
  const auto most_bytes_at = [](std::size_t at) {
    const auto room = std::min(encoded_word, encoded_line - std::min(at, encoded_line));
    return room > frame ? (room - frame) / 4 * 3 : 0;
  };
  while (!text.empty()) {
    auto size = std::min(text.size(), most_bytes_at(column));
    if (size < std::min(text.size(), longest_character)) {
      out += "\r\n ";
      column = 1;
      continue;
    }
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto word = base64({bytes, size});
    out.append(opening).append(word).append(closing);
    column += frame + word.size();
    text.remove_prefix(size);
    if (text.empty()) break;
    out += "\r\n ";
    column = 1;
  }
  return column;
}

/// True if an unstructured value needs no encoding and can be folded at its spaces.
bool is_plain(std::string_view text) {
  if (std::ranges::any_of(text, is_beyond_ascii) || text.find("=?") != std::string_view::npos) return false;
  if (text.starts_with(' ') || text.ends_with(' ') || text.find("  ") != std::string_view::npos) return false;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > longest_word) return false;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return true;
}

void add_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  const auto clean = without_controls(value);
  if (!is_plain(clean)) {
    add_encoded_words(out, clean, name.size() + 2);
    out += "\r\n";
    return;
  }
  std::size_t column = name.size() + 2;
  std::string_view rest = clean;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (column + end > line_length && column > name.size() + 2) {
      out.replace(out.size() - 1, 1, "\r\n ");
      column = 1;
    }
    out.append(rest.substr(0, end));
    column += end;
    rest.remove_prefix(end);
    if (!rest.empty()) {
      out += ' ';
      ++column;
      rest.remove_prefix(1);
    }
  }
  out += "\r\n";
}

/// RFC 5322 section 3.2.4.
std::string quoted_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' || c == '\\' ? 1 : 0, '\\').push_back(c);
  return result + '"';
}

/// Appends a mailbox that begins at `column`.
void add_mailbox(std::string& out, const Mailbox& mailbox, std::size_t column) {
  const auto address = ascii_domain_address(mailbox.address);
  if (mailbox.name.empty()) {
    out += address;
    return;
  }
  const auto name = without_controls(mailbox.name);
  if (std::ranges::any_of(name, is_beyond_ascii) || name.find("=?") != std::string::npos) {
    column = add_encoded_words(out, name, column);
    // The limit of a line with an encoded word holds for the address and the comma behind it too.
    if (column + address.size() + std::string_view(" <>,").size() > encoded_line) out += "\r\n";
  } else if (std::ranges::all_of(name, [](char c) { return is_atom(c) || c == ' '; })) {
    out += name;
  } else {
    out += quoted_string(name);
  }
  out.append(" <").append(address).append(">");
}

void add_mailboxes(std::string& out, std::string_view name, std::span<const std::string> texts) {
  out.append(name).append(": ");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ",\r\n ";
    add_mailbox(out, parse_mailbox(texts[i]).value_or(Mailbox{}), i > 0 ? 1 : name.size() + 2);
  }
  out += "\r\n";
}

/// RFC 5322 section 3.3.
std::string date_text(Time date) {
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(date);
  const std::chrono::year_month_day calendar(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(date - day));
  char text[64];
  const int length = std::snprintf(
      text, sizeof text, "%s, %u %s %04d %02d:%02d:%02d +0000", days[std::chrono::weekday(day).c_encoding()],
      static_cast<unsigned>(calendar.day()), months[static_cast<unsigned>(calendar.month()) - 1],
      static_cast<int>(calendar.year()), static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return {text, static_cast<std::size_t>(length)};
}

/// Converts all line ends to CRLF.
std::string with_crlf(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' || text[i] == '\n') {
      if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
      result += "\r\n";
    } else {
      result += text[i];
    }
  }
  if (!result.ends_with("\r\n")) result += "\r\n";
  return result;
}

/// True if the text is 7bit data (RFC 2045 section 2.7), which every server accepts unencoded.
bool is_seven_bit(std::string_view text) {
  std::size_t column = 0;
  for (const char c : text) {
    if (c == '\n') {
      column = 0;
    } else if (c != '\r' && (is_beyond_ascii(c) || (is_control(c) && c != '\t') || ++column > longest_line)) {
      return false;
    }
  }
  return true;
}

/// RFC 2045 section 6.7; `text` has CRLF at the end of each line.
std::string quoted_printable(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      result += "\r\n";
      column = 0;
      ++i;
      continue;
    }
    const bool ends_line = i + 1 >= text.size() || text[i + 1] == '\r';
    const bool is_blank = c == ' ' || c == '\t';
    const bool is_literal = is_blank ? !ends_line : c > ' ' && c <= '~' && c != '=';
    const std::size_t width = is_literal ? 1 : 3;
    if (column + width > quoted_line - (ends_line ? 0 : 1)) {
      result += "=\r\n";
      column = 0;
    }
    if (is_literal) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result.append("=").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    }
    column += width;
  }
  return result;
}

void add_part(std::string& out, std::string_view type, std::string_view text) {
  const auto lines = with_crlf(text);
  const bool as_is = is_seven_bit(lines);
  out.append("Content-Type: ").append(type).append("; charset=utf-8\r\nContent-Transfer-Encoding: ");
  out.append(as_is ? "7bit" : "quoted-printable").append("\r\n\r\n");
  out.append(as_is ? lines : quoted_printable(lines));
}

std::optional<std::string> header_problem(std::string_view name, std::string_view value) {
  constexpr std::string_view own[] = {"from",    "to",           "cc",         "bcc",
                                      "sender",  "reply-to",     "date",       "message-id",
                                      "subject", "mime-version", "return-path"};
  // RFC 5322 section 3.6.8
  const bool is_name = !name.empty() && name.size() <= 70 &&
                       std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~' && c != ':'; });
  const auto small = ascii_lower(name);
  if (!is_name || small.starts_with("content-") || std::ranges::find(own, small) != std::end(own)) {
    return "This header cannot be set: " + to_text(without_controls(name));
  }
  if (!is_utf8(value)) return "The header " + small + " is not UTF-8.";
  return std::nullopt;
}

bool is_message_id(std::string_view text) {  // RFC 5322 section 3.6.4
  if (text.size() > 250 || !text.starts_with('<') || !text.ends_with('>')) return false;
  text = text.substr(1, text.size() - 2);
  const auto at = text.find('@');
  return at != std::string_view::npos && is_dot_atom(text.substr(0, at), is_atom) &&
         is_dot_atom(text.substr(at + 1), is_atom) && std::ranges::none_of(text, is_beyond_ascii);
}

}  // namespace

std::optional<Mailbox> parse_mailbox(std::string_view text) {
  text = trimmed(text, " \t");
  if (std::ranges::any_of(text, is_control)) return std::nullopt;
  text = without_outer_blanks(text);
  Mailbox mailbox;
  if (text.ends_with('>')) {
    const auto open = text.rfind('<');
    if (open == std::string_view::npos) return std::nullopt;
    mailbox.address = text.substr(open + 1, text.size() - open - 2);
    auto name = trimmed(text.substr(0, open), " \t");
    const bool quoted = name.size() >= 2 && name.front() == '"' && name.back() == '"';
    if (!quoted && name.find_first_of("\"<>,;:@") != std::string_view::npos) return std::nullopt;
    mailbox.name = quoted ? unquoted(name.substr(1, name.size() - 2)) : std::string(name);
  } else {
    mailbox.address = text;
  }
  if (!is_address(mailbox.address) || !is_utf8(mailbox.name) || count_characters(mailbox.name) > longest_name)
    return std::nullopt;
  return mailbox;
}

std::string mailbox_text(const Mailbox& mailbox) {
  if (mailbox.name.empty()) return mailbox.address;
  return quoted_string(without_controls(mailbox.name)) + " <" + mailbox.address + ">";
}

std::string named_sender(std::string_view from, std::string_view name) {
  auto mailbox = parse_mailbox(from);
  if (name.empty() || !mailbox) return std::string(from);
  mailbox->name = name;
  return mailbox_text(*mailbox);
}

std::vector<std::string> MailMessage::recipients() const {
  if (!remaining.empty()) return remaining;
  std::vector<std::string> all = to;
  all.insert(all.end(), cc.begin(), cc.end());
  all.insert(all.end(), bcc.begin(), bcc.end());
  return all;
}

std::optional<std::string> mail_problem(const MailMessage& message) {
  if (!parse_mailbox(message.from))
    return "The sender is not a mail address: " + to_text(without_controls(message.from));
  if (message.to.empty() || message.to.size() + message.cc.size() + message.bcc.size() > most_recipients)
    return "A mail must have 1 to 100 recipients.";
  for (const auto* const list : {&message.to, &message.cc, &message.bcc}) {
    for (const auto& to : *list) {
      if (!parse_mailbox(to)) return "A recipient is not a mail address: " + to_text(without_controls(to));
    }
  }
  if (!message.reply_to.empty() && !parse_mailbox(message.reply_to))
    return "The address for replies is not a mail address: " + to_text(without_controls(message.reply_to));
  for (const auto& [name, value] : message.headers) {
    if (auto problem = header_problem(name, value)) return problem;
  }
  if (!is_utf8(message.subject) || !is_utf8(message.text) || !is_utf8(message.html)) {
    return "The subject or the text is not UTF-8.";
  }
  if (!message.message_id.empty() && !is_message_id(message.message_id))
    return "The Message-ID is malformed.";
  return std::nullopt;
}

std::string message_id(std::string_view left, std::string_view from) {
  const auto address = parse_mailbox(from).value_or(Mailbox{}).address;
  std::string domain = address.substr(std::min(address.find('@') + 1, address.size()));
  domain = ascii_domain(domain);
  if (domain.empty() || std::ranges::any_of(domain, is_beyond_ascii)) domain = "waybill.invalid";
  return "<" + std::string(left) + "@" + domain + ">";
}

std::string format_mail(const MailMessage& message, Time date) {
  std::string out;
  out.append("Date: ").append(date_text(date)).append("\r\n");
  add_mailboxes(out, "From", {&message.from, 1});
  add_mailboxes(out, "To", message.to);
  if (!message.cc.empty()) add_mailboxes(out, "Cc", message.cc);
  if (!message.reply_to.empty()) add_mailboxes(out, "Reply-To", {&message.reply_to, 1});
  add_header(out, "Subject", message.subject);
  out.append("Message-ID: ");
  out.append(message.message_id.empty() ? message_id(hex(random_bytes(16)), message.from)
                                        : message.message_id);
  out.append("\r\n");
  for (const auto& [name, value] : message.headers) add_header(out, name, value);
  out.append("MIME-Version: 1.0\r\n");
  if (message.html.empty()) {
    add_part(out, "text/plain", message.text);
  } else if (message.text.empty()) {
    add_part(out, "text/html", message.html);
  } else {
    const auto boundary = "=_" + hex(random_bytes(16));
    out.append("Content-Type: multipart/alternative; boundary=\"").append(boundary).append("\"\r\n\r\n");
    for (const bool is_html : {false, true}) {
      out.append("--").append(boundary).append("\r\n");
      add_part(out, is_html ? "text/html" : "text/plain", is_html ? message.html : message.text);
    }
    out.append("--").append(boundary).append("--\r\n");
  }
  return out;
}

}  // namespace waybill::net
