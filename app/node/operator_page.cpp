#include "app/node/operator_page.hpp"

#include "api/tracking_page/markup.hpp"
#include "base/version.hpp"

namespace waybill::app {
namespace {

void add_table(api::Markup& page, const OperatorTable& table) {
  page.raw("<h2>").text(table.title).raw("</h2>\n");
  if (!table.fault.empty()) {
    page.raw("<p class=\"fault\">").text(table.fault).raw("</p>\n");
    return;
  }
  if (table.rows.empty()) {
    page.raw("<p>none</p>\n");
    return;
  }
  page.raw("<div tabindex=\"0\"><table><tr>");
  for (const std::string& column : table.columns) page.raw("<th scope=\"col\">").text(column).raw("</th>");
  page.raw("</tr>\n");
  for (const auto& row : table.rows) {
    page.raw("<tr>");
    for (const std::string& cell : row) page.raw("<td>").text(cell).raw("</td>");
    page.raw("</tr>\n");
  }
  page.raw("</table></div>\n");
}

}  // namespace

std::string operator_page(const OperatorFacts& facts) {
  api::Markup page(16'384);
  page.raw(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"refresh\" content=\"5\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>waybill operator</title>\n<link rel=\"stylesheet\" "
      "href=\"/operator.css\">\n</head>\n<body>\n<main>\n"
      "<h1>waybill ");
  page.text(version_of_program()).raw("</h1>\n");
  if (!facts.fault.empty()) page.raw("<p class=\"fault\">").text(facts.fault).raw("</p>\n");
  if (facts.read_at) page.raw("<p>As of ").text(format_timestamp(*facts.read_at)).raw("</p>\n");
  for (const OperatorTable& table : facts.tables) add_table(page, table);
  page.raw("</main>\n</body>\n</html>\n");
  return std::move(page).html();
}

}  // namespace waybill::app
