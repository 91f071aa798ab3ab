#include "documents/order_sheets.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>

#include "base/joined_texts.hpp"
#include "documents/printable_text.hpp"
#include "documents/scripts.hpp"
#include "documents/sheets.hpp"

namespace waybill::documents {
namespace {

constexpr double left = Sheets::margin;
constexpr double full = Sheets::inner_width;
constexpr double gap = 8;
constexpr double half = (full - gap) / 2;
constexpr double number_width = 60;
constexpr double sku_width = 130;
constexpr double orders_width = 160;
constexpr const char* black = "#000000";
constexpr const char* grey = "#b0b0b0";

const std::vector<Column> whole{{left, full}};
const std::vector<Column> halves{{left, half}, {left + half + gap, half}};
const std::vector<Column> slip_columns{{left, sku_width},
                                       {left + sku_width + gap, full - sku_width - number_width - 2 * gap},
                                       {left + full - number_width, number_width, true}};
const std::vector<Column> pick_columns{
    {left, sku_width},
    {left + sku_width + gap, full - sku_width - orders_width - number_width - 3 * gap},
    {left + full - number_width - gap - orders_width, orders_width},
    {left + full - number_width, number_width, true}};

Paragraph regular(std::string_view text, std::string_view language) {
  return {.weight = Weight::regular, .text = printable_text(text), .language = std::string(language)};
}

Paragraph bold(std::string_view text, std::string_view language) {
  return {.weight = Weight::bold, .text = printable_text(text), .language = std::string(language)};
}

std::vector<Paragraph> party_lines(const Party& party, std::string_view language) {
  std::vector<Paragraph> lines;
  const auto add = [&](Paragraph paragraph) {
    if (!paragraph.text.empty()) lines.push_back(std::move(paragraph));
  };
  add(bold(party.name, language));
  add(bold(party.company, language));
  for (const auto& line : party.address) add(regular(line, language));
  add(regular(party.phone, language));
  return lines;
}

/// Draws the head of a table now and on each further page of the part.
void begin_table(Sheets& sheets, const std::vector<Column>& columns, const std::vector<Paragraph>& titles) {
  const auto head = [&sheets, columns, titles] {
    sheets.row(columns, titles, 8);
    sheets.space(2);
    sheets.rule(0.8, black);
    sheets.space(4);
  };
  head();
  sheets.set_head(head);
}

void end_row(Sheets& sheets) {
  sheets.space(3);
  sheets.rule(0.3, grey);
  sheets.space(3);
}

void draw_parties(Sheets& sheets, const PackingSlip& slip) {
  const auto from = party_lines(slip.sender, language_of(slip.sender));
  const auto to = party_lines(slip.recipient, language_of(slip.recipient));
  sheets.row(halves, {bold("From", "en"), bold("To", "en")}, 8);
  for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    const Paragraph none = regular("", "en");
    sheets.row(halves, {i < from.size() ? from[i] : none, i < to.size() ? to[i] : none}, 10);
  }
}

void draw(Sheets& sheets, const PackingSlip& slip) {
  for (const Party* const party : {&slip.sender, &slip.recipient}) check_fields(*party);
  const auto language = language_of(slip.recipient);
  sheets.begin_part(regular(slip.order_number, language));
  sheets.row(whole, {bold(slip.sender_name, language_of(slip.sender))}, 18);
  sheets.space(4);
  sheets.rule(2, slip.brand_color.empty() ? black : slip.brand_color);
  sheets.space(10);
  draw_parties(sheets, slip);
  sheets.space(12);
  sheets.row(whole, {bold("Packing slip " + slip.order_number, language)}, 13);
  if (!slip.reference.empty()) sheets.row(whole, {regular("Reference " + slip.reference, language)}, 10);
  sheets.space(8);
  begin_table(sheets, slip_columns, {bold("SKU", "en"), bold("Item", "en"), bold("Quantity", "en")});
  for (const SlipItem& item : slip.items) {
    sheets.row(slip_columns,
               {regular(item.sku, language), regular(item.name, language),
                regular(std::to_string(item.quantity), language)},
               10);
    end_row(sheets);
  }
  sheets.set_head(nullptr);
  if (slip.notes.empty()) return;
  sheets.space(8);
  sheets.row(whole, {bold("Notes", "en")}, 8);
  sheets.row(whole, {regular(slip.notes, language)}, 10);
}

}  // namespace

std::string render_packing_slips(const std::vector<PackingSlip>& slips) {
  const Lock lock(drawing_mutex());
  Sheets sheets("Packing slips");
  for (const PackingSlip& slip : slips) draw(sheets, slip);
  return sheets.finish();
}

std::string render_pick_list(const PickList& list) {
  const Lock lock(drawing_mutex());
  const auto language = han_language("", list.sender_name);
  Sheets sheets("Pick list");
  sheets.begin_part(regular(list.sender_name, language));
  sheets.row(whole, {bold("Pick list", "en")}, 18);
  sheets.row(whole, {regular(joined_texts(list.order_numbers), language)}, 9);
  sheets.space(10);
  begin_table(sheets, pick_columns,
              {bold("SKU", "en"), bold("Item", "en"), bold("Orders", "en"), bold("Quantity", "en")});
  for (const PickedItem& item : list.items) {
    const std::string orders =
        joined_texts(item.parts | std::views::transform([](const auto& part) {
                       return part.order_number + " × " + std::to_string(part.quantity);
                     }));
    const auto name_language = han_language("", item.name);
    sheets.row(pick_columns,
               {regular(item.sku, name_language), regular(item.name, name_language),
                regular(orders, language), bold(std::to_string(item.quantity), "en")},
               10);
    end_row(sheets);
  }
  return sheets.finish();
}

}  // namespace waybill::documents
