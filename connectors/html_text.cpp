#include "connectors/html_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/ascii.hpp"

namespace waybill::connectors {
namespace {

struct Entity {
  std::string_view name;
  std::uint16_t code_point;
};

// HTML 4.01, chapter 24; sorted by name.
constexpr auto entities = std::to_array<Entity>({
    // clang-format off
    {"AElig", 198}, {"Aacute", 193}, {"Acirc", 194}, {"Agrave", 192}, {"Alpha", 913}, {"Aring", 197},
    {"Atilde", 195}, {"Auml", 196}, {"Beta", 914}, {"Ccedil", 199}, {"Chi", 935}, {"Dagger", 8225},
    {"Delta", 916}, {"ETH", 208}, {"Eacute", 201}, {"Ecirc", 202}, {"Egrave", 200}, {"Epsilon", 917},
    {"Eta", 919}, {"Euml", 203}, {"Gamma", 915}, {"Iacute", 205}, {"Icirc", 206}, {"Igrave", 204},
    {"Iota", 921}, {"Iuml", 207}, {"Kappa", 922}, {"Lambda", 923}, {"Mu", 924}, {"Ntilde", 209},
    {"Nu", 925}, {"OElig", 338}, {"Oacute", 211}, {"Ocirc", 212}, {"Ograve", 210}, {"Omega", 937},
    {"Omicron", 927}, {"Oslash", 216}, {"Otilde", 213}, {"Ouml", 214}, {"Phi", 934}, {"Pi", 928},
    {"Prime", 8243}, {"Psi", 936}, {"Rho", 929}, {"Scaron", 352}, {"Sigma", 931}, {"THORN", 222},
    {"Tau", 932}, {"Theta", 920}, {"Uacute", 218}, {"Ucirc", 219}, {"Ugrave", 217}, {"Upsilon", 933},
    {"Uuml", 220}, {"Xi", 926}, {"Yacute", 221}, {"Yuml", 376}, {"Zeta", 918}, {"aacute", 225},
    {"acirc", 226}, {"acute", 180}, {"aelig", 230}, {"agrave", 224}, {"alefsym", 8501}, {"alpha", 945},
    {"amp", 38}, {"and", 8743}, {"ang", 8736}, {"apos", 39}, {"aring", 229}, {"asymp", 8776},
    {"atilde", 227}, {"auml", 228}, {"bdquo", 8222}, {"beta", 946}, {"brvbar", 166}, {"bull", 8226},
    {"cap", 8745}, {"ccedil", 231}, {"cedil", 184}, {"cent", 162}, {"chi", 967}, {"circ", 710},
    {"clubs", 9827}, {"cong", 8773}, {"copy", 169}, {"crarr", 8629}, {"cup", 8746}, {"curren", 164},
    {"dArr", 8659}, {"dagger", 8224}, {"darr", 8595}, {"deg", 176}, {"delta", 948}, {"diams", 9830},
    {"divide", 247}, {"eacute", 233}, {"ecirc", 234}, {"egrave", 232}, {"empty", 8709}, {"emsp", 8195},
    {"ensp", 8194}, {"epsilon", 949}, {"equiv", 8801}, {"eta", 951}, {"eth", 240}, {"euml", 235},
    {"euro", 8364}, {"exist", 8707}, {"fnof", 402}, {"forall", 8704}, {"frac12", 189}, {"frac14", 188},
    {"frac34", 190}, {"frasl", 8260}, {"gamma", 947}, {"ge", 8805}, {"gt", 62}, {"hArr", 8660},
    {"harr", 8596}, {"hearts", 9829}, {"hellip", 8230}, {"iacute", 237}, {"icirc", 238}, {"iexcl", 161},
    {"igrave", 236}, {"image", 8465}, {"infin", 8734}, {"int", 8747}, {"iota", 953}, {"iquest", 191},
    {"isin", 8712}, {"iuml", 239}, {"kappa", 954}, {"lArr", 8656}, {"lambda", 955}, {"lang", 9001},
    {"laquo", 171}, {"larr", 8592}, {"lceil", 8968}, {"ldquo", 8220}, {"le", 8804}, {"lfloor", 8970},
    {"lowast", 8727}, {"loz", 9674}, {"lrm", 8206}, {"lsaquo", 8249}, {"lsquo", 8216}, {"lt", 60},
    {"macr", 175}, {"mdash", 8212}, {"micro", 181}, {"middot", 183}, {"minus", 8722}, {"mu", 956},
    {"nabla", 8711}, {"nbsp", 160}, {"ndash", 8211}, {"ne", 8800}, {"ni", 8715}, {"not", 172},
    {"notin", 8713}, {"nsub", 8836}, {"ntilde", 241}, {"nu", 957}, {"oacute", 243}, {"ocirc", 244},
    {"oelig", 339}, {"ograve", 242}, {"oline", 8254}, {"omega", 969}, {"omicron", 959}, {"oplus", 8853},
    {"or", 8744}, {"ordf", 170}, {"ordm", 186}, {"oslash", 248}, {"otilde", 245}, {"otimes", 8855},
    {"ouml", 246}, {"para", 182}, {"part", 8706}, {"permil", 8240}, {"perp", 8869}, {"phi", 966},
    {"pi", 960}, {"piv", 982}, {"plusmn", 177}, {"pound", 163}, {"prime", 8242}, {"prod", 8719},
    {"prop", 8733}, {"psi", 968}, {"quot", 34}, {"rArr", 8658}, {"radic", 8730}, {"rang", 9002},
    {"raquo", 187}, {"rarr", 8594}, {"rceil", 8969}, {"rdquo", 8221}, {"real", 8476}, {"reg", 174},
    {"rfloor", 8971}, {"rho", 961}, {"rlm", 8207}, {"rsaquo", 8250}, {"rsquo", 8217}, {"sbquo", 8218},
    {"scaron", 353}, {"sdot", 8901}, {"sect", 167}, {"shy", 173}, {"sigma", 963}, {"sigmaf", 962},
    {"sim", 8764}, {"spades", 9824}, {"sub", 8834}, {"sube", 8838}, {"sum", 8721}, {"sup", 8835},
    {"sup1", 185}, {"sup2", 178}, {"sup3", 179}, {"supe", 8839}, {"szlig", 223}, {"tau", 964},
    {"there4", 8756}, {"theta", 952}, {"thetasym", 977}, {"thinsp", 8201}, {"thorn", 254}, {"tilde", 732},
    {"times", 215}, {"trade", 8482}, {"uArr", 8657}, {"uacute", 250}, {"uarr", 8593}, {"ucirc", 251},
    {"ugrave", 249}, {"uml", 168}, {"upsih", 978}, {"upsilon", 965}, {"uuml", 252}, {"weierp", 8472},
    {"xi", 958}, {"yacute", 253}, {"yen", 165}, {"yuml", 255}, {"zeta", 950}, {"zwj", 8205},
    {"zwnj", 8204},
    // clang-format on
});

// The meaning of 0x80 to 0x9f, as in Windows-1252 (HTML, "numeric character reference end state").
constexpr std::array<std::uint16_t, 32> windows_1252 = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

constexpr std::size_t longest_reference = 12;  // between & and ;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

std::optional<std::uint32_t> numeric(std::string_view digits) {
  int base = 10;
  if (digits.starts_with('x') || digits.starts_with('X')) {
    base = 16;
    digits.remove_prefix(1);
  }
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (code >= 0x80 && code <= 0x9F) return windows_1252.at(code - 0x80);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code == 0 || surrogate || code > 0x10FFFF) return std::nullopt;
  return code;
}

std::optional<std::uint32_t> code_point(std::string_view reference) {
  if (reference.starts_with('#')) return numeric(reference.substr(1));
  const auto found = std::ranges::lower_bound(entities, reference, {}, &Entity::name);
  if (found == entities.end() || found->name != reference) return std::nullopt;
  return found->code_point;
}

// Elements of HTML, current and obsolete, and of SVG; sorted.
constexpr auto elements = std::to_array<std::string_view>({
    // clang-format off
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base", "basefont",
    "bdi", "bdo", "big", "blink", "blockquote", "body", "br", "button", "canvas", "caption", "center", "circle",
    "cite", "code", "col", "colgroup", "data", "datalist", "dd", "defs", "del", "details", "dfn", "dialog",
    "dir", "div", "dl", "dt", "ellipse", "em", "embed", "fieldset", "figcaption", "figure", "font", "footer",
    "form", "frame", "frameset", "g", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr",
    "html", "i", "iframe", "image", "img", "input", "ins", "kbd", "label", "legend", "li", "line", "link",
    "main", "map", "mark", "marquee", "menu", "meta", "meter", "nav", "nobr", "noframes", "noscript", "object",
    "ol", "optgroup", "option", "output", "p", "param", "path", "picture", "polygon", "polyline", "pre",
    "progress", "q", "rb", "rect", "rp", "rt", "rtc", "ruby", "s", "samp", "script", "search", "section",
    "select", "slot", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg",
    "symbol", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title",
    "tr", "track", "tspan", "tt", "u", "ul", "use", "var", "video", "wbr",
    // clang-format on
});
static_assert(std::ranges::is_sorted(elements));

constexpr auto line_ends = std::to_array<std::string_view>(
    {"address", "article", "blockquote", "br",  "center",  "dd",    "div", "dl",     "dt", "footer",
     "form",    "h1",      "h2",         "h3",  "h4",      "h5",    "h6",  "header", "hr", "li",
     "ol",      "option",  "p",          "pre", "section", "table", "td",  "th",     "tr", "ul"});

bool is_element(std::string_view name) {
  // A name with a hyphen is that of a custom element.
  return std::ranges::binary_search(elements, name) || name.find('-') != std::string_view::npos;
}

struct Tag {
  std::string name;  // in lower case
  bool is_end = false;
  std::size_t length = 0;
};

// The length of a tag up to its `>`, which may also occur in a quoted attribute; npos without an end.
std::size_t tag_length(std::string_view html) {
  char quote = 0;
  for (std::size_t i = 1; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && html[i - 1] == '=') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  const auto end = html.find('>');
  return end == std::string_view::npos ? end : end + 1;
}

// The tag with which the text begins, if it is one.
std::optional<Tag> tag_at(std::string_view html) {
  Tag tag;
  std::size_t at = 1;
  if (html.substr(at).starts_with('/')) {
    tag.is_end = true;
    ++at;
  }
  if (at == html.size() || !is_letter(html[at])) return std::nullopt;
  while (at < html.size() && (is_alphanumeric(html[at]) || html[at] == '-'))
    tag.name += ascii_lower(html[at++]);
  if (at == html.size() || std::string_view(" \t\r\n\f/>").find(html[at]) == std::string_view::npos)
    return std::nullopt;
  tag.length = tag_length(html);
  if (tag.length == std::string_view::npos || !is_element(tag.name)) return std::nullopt;
  return tag;
}

// The length up to the end tag of an element that contains no text.
std::size_t hidden_length(std::string_view html, std::string_view element) {
  for (auto at = html.find("</"); at != std::string_view::npos; at = html.find("</", at + 2)) {
    if (const auto tag = tag_at(html.substr(at)); tag && tag->name == element) return at;
  }
  return html.size();
}

}  // namespace

std::string decode_entities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto start = std::min(text.find('&'), text.size());
    out += text.substr(0, start);
    text.remove_prefix(start);
    if (text.empty()) break;
    const auto end = text.substr(0, longest_reference + 2).find(';');
    const auto code = end == std::string_view::npos ? std::nullopt : code_point(text.substr(1, end - 1));
    if (code) {
      append_utf8(out, *code);
      text.remove_prefix(end + 1);
    } else {
      out += '&';
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string html_text(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    const auto start = std::min(html.find('<'), html.size());
    text += html.substr(0, start);
    html.remove_prefix(start);
    if (html.empty()) break;
    if (html.starts_with("<!--")) {
      const auto end = html.find("-->");
      html.remove_prefix(end == std::string_view::npos ? html.size() : end + 3);
      continue;
    }
    const auto tag = tag_at(html);
    if (!tag) {
      text += '<';
      html.remove_prefix(1);
      continue;
    }
    html.remove_prefix(tag->length);
    const bool is_hidden = tag->name == "script" || tag->name == "style";
    if (is_hidden && !tag->is_end) html.remove_prefix(hidden_length(html, tag->name));
    const bool ends_line = std::ranges::binary_search(line_ends, tag->name);
    if (ends_line && !text.empty() && text.back() != '\n') text += '\n';
  }
  return decode_entities(text);
}

}  // namespace waybill::connectors
