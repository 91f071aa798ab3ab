#include "documents/small_font.hpp"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangofc-font.h>
#include <stdexcept>

namespace waybill::documents {
namespace {

using Blob = Owned<hb_blob_t, hb_blob_destroy>;

[[noreturn]] void fail() { throw std::runtime_error("the subset of a font cannot be made"); }

/// A font in memory, which FreeType reads.
struct Memory {
  explicit Memory(Blob file) : bytes(std::move(file)) {
    FT_Library created = nullptr;
    if (FT_Init_FreeType(&created) != 0) fail();
    library.reset(created);
    unsigned size = 0;
    const auto* const data = reinterpret_cast<const FT_Byte*>(hb_blob_get_data(bytes.get(), &size));
    FT_Face opened = nullptr;
    if (FT_New_Memory_Face(created, data, static_cast<FT_Long>(size), 0, &opened) != 0) fail();
    face.reset(opened);
  }

  Blob bytes;
  Owned<FT_LibraryRec_, FT_Done_FreeType> library;
  Owned<FT_FaceRec_, FT_Done_Face> face;
};

}  // namespace

hb_face_t* face_of(PangoFont* font) { return hb_font_get_face(pango_font_get_hb_font(font)); }

bool needs_small_font(PangoFont* font) {
  const Blob outlines(hb_face_reference_table(face_of(font), HB_TAG('C', 'F', 'F', ' ')));
  if (hb_blob_get_length(outlines.get()) == 0) return false;
  // cairo draws artificial bold letters itself.
  FcBool is_emboldened = FcFalse;
  FcPatternGetBool(pango_fc_font_get_pattern(PANGO_FC_FONT(font)), FC_EMBOLDEN, 0, &is_emboldened);
  return is_emboldened == FcFalse;
}

SmallFont::SmallFont(PangoFont* font) : whole_(face_of(font)), glyphs_(hb_set_create()) {}

cairo_font_face_t* SmallFont::face() {
  if (!face_) make();
  return face_.get();
}

unsigned long SmallFont::number_of(PangoGlyph glyph) {
  if (!face_) make();
  return hb_map_get(hb_subset_plan_old_to_new_glyph_mapping(plan_.get()), glyph);
}

void SmallFont::make() {
  const Owned<hb_subset_input_t, hb_subset_input_destroy> input(hb_subset_input_create_or_fail());
  if (!input) fail();
  hb_subset_input_set_flags(input.get(), HB_SUBSET_FLAGS_NO_HINTING);
  hb_set_union(hb_subset_input_glyph_set(input.get()), glyphs_.get());
  // The text is shaped already.
  auto* const dropped = hb_subset_input_set(input.get(), HB_SUBSET_SETS_DROP_TABLE_TAG);
  for (const auto table :
       {HB_TAG('G', 'S', 'U', 'B'), HB_TAG('G', 'P', 'O', 'S'), HB_TAG('G', 'D', 'E', 'F')})
    hb_set_add(dropped, table);
  plan_.reset(hb_subset_plan_create_or_fail(whole_, input.get()));
  if (!plan_) fail();
  const Owned<hb_face_t, hb_face_destroy> part(hb_subset_plan_execute_or_fail(plan_.get()));
  if (!part) fail();
  auto memory = std::make_unique<Memory>(Blob(hb_face_reference_blob(part.get())));
  face_.reset(cairo_ft_font_face_create_for_ft_face(memory->face.get(), 0));
  static const cairo_user_data_key_t key{};
  const auto release = [](void* data) { delete static_cast<Memory*>(data); };
  if (cairo_font_face_set_user_data(face_.get(), &key, memory.get(), release) != CAIRO_STATUS_SUCCESS) fail();
  memory.release();
}

}  // namespace waybill::documents
