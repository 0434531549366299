#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#include "host/message.h"
#include "report/figures.h"
#include "report/plot.h"
#include "report/words.h"

/* Text as it shall appear, whatever it holds. */
static void print_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        case '_': /* names of files may break there */
            fputs("_<wbr>", to);
            break;
        default:
            putc(*text, to);
        }
    }
}

/* A card's name: <bdi> keeps right-to-left text in its place. */
static void print_name(FILE *to, const char *name)
{
    fputs("<bdi>", to);
    print_text(to, name);
    fputs("</bdi>", to);
}

/* <tag class="class">text</tag>; takes the text over, nothing when it is empty. */
static bool print_element(FILE *to, const char *tag, const char *class, char *text)
{
    if (!text) {
        say_no_memory();
        return false;
    }
    if (*text) {
        fprintf(to, "<%s class=\"%s\">", tag, class);
        print_text(to, text);
        fprintf(to, "</%s>\n", tag);
    }
    free(text);
    return true;
}

static void print_head(const report *r, FILE *to)
{
    figure period;
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>Which SD card is good enough?</title>\n<style>\n",
          to);
    fputs(PAGE_STYLE, to);
    fprintf(to,
            "</style>\n</head>\n<body>\n<main>\n<h1>SD cards for blocks of %u frames at %u Hz "
            "(%s ms)</h1>\n",
            r->input.block.frames, r->input.block.rate_hz, figure_ms(period, report_block_us(r)));
}

/* ---- picture ---------------------------------------------------------- */

/* The SVG from its first tag on; before it come an XML declaration and a
 * document type, which do not belong inside a page. */
static bool copy_svg(FILE *from, FILE *to)
{
    char line[4096];
    bool inside = false;
    if (fseek(from, 0, SEEK_SET) != 0)
        return false;
    while (fgets(line, sizeof line, from)) {
        inside = inside || strncmp(line, "<svg", 4) == 0;
        if (inside)
            fputs(line, to);
    }
    return inside;
}

static bool print_picture(const report *r, bool dark, FILE *to)
{
    FILE *picture = tmpfile();
    if (!picture) {
        say_error("cannot make a temporary file; is the disk full?");
        return false;
    }
    fprintf(to, "<div class=\"%s\">\n", dark ? "dark" : "light");
    bool drawn = plot_draw(r, PLOT_SVG, dark, picture);
    if (drawn && !copy_svg(picture, to)) {
        say_error("gnuplot made no SVG picture; does 'gnuplot --version' say 5.0 or later?");
        drawn = false;
    }
    fputs("</div>\n", to);
    fclose(picture);
    return drawn;
}

/* ---- figures ---------------------------------------------------------- */

static void print_table_head(FILE *to)
{
    fputs("<h2>Figures</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>rank</th>"
          "<th class=\"text\">card</th><th class=\"text\">verdict</th><th>median<br>ms</th>"
          "<th>p99.9<br>ms</th><th>slowest<br>ms</th><th>misses</th>"
          "<th>dropouts<br>an hour</th><th>at most<br>(95 %)</th><th>reads</th></tr></thead>\n"
          "<tbody>\n",
          to);
}

static void print_row(const report *r, const report_card *card, FILE *to)
{
    const jc_assessment *a = &card->assessment;
    const char *verdict = jc_verdict_name(a->verdict);
    figure median, tail, worst, misses, rate, bound, reads;
    fprintf(to, "<tr%s><td>%zu</td><td class=\"text name\">",
            card == report_recommended(r) ? " class=\"take\"" : "", card->rank);
    print_name(to, card->m.name);
    fprintf(to, "</td><td class=\"text verdict %s\">%s</td>", verdict, verdict);
    if (card->m.reads == 0)
        fputs("<td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>0</td></tr>\n", to);
    else
        fprintf(to,
                "<td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td>"
                "</tr>\n",
                figure_ms(median, a->box.median_us), figure_ms(tail, a->box.p999_us),
                figure_ms(worst, a->box.max_us), figure_count(misses, a->misses),
                figure_rate(rate, a->episodes_per_hour),
                figure_rate(bound, a->episodes_per_hour_upper95),
                figure_count(reads, card->measured_reads));
}

static void print_figures(const report *r, FILE *to)
{
    print_table_head(to);
    for (size_t i = 0; i < r->count; i++)
        print_row(r, &r->cards[i], to);
    fputs("</tbody></table></div>\n", to);
}

/* ---- verdicts --------------------------------------------------------- */

static void print_identity(const measurement *m, FILE *to)
{
    if (m->field_count == 0)
        return;
    fputs("<dl>", to);
    for (size_t i = 0; i < m->field_count; i++) {
        if (strcmp(m->fields[i].key, "card") == 0)
            continue; /* is the heading */
        fputs("<dt>", to);
        print_text(to, m->fields[i].key);
        fputs("</dt><dd><bdi>", to);
        print_text(to, m->fields[i].value);
        fputs("</bdi></dd>", to);
    }
    fputs("</dl>\n", to);
}

static bool print_card(const report_card *card, FILE *to)
{
    const char *verdict = jc_verdict_name(card->assessment.verdict);
    fprintf(to, "<article class=\"%s\"><h3>%zu. ", verdict, card->rank);
    print_name(to, card->m.name);
    fprintf(to, "</h3>\n<div class=\"verdict\">%s</div>\n", verdict);
    if (!print_element(to, "p", "reason", words_reason(card)) ||
        !print_element(to, "p", "reason", words_playing(card)))
        return false;
    print_identity(&card->m, to);
    fputs("</article>\n", to);
    return true;
}

static bool print_cards(const report *r, FILE *to)
{
    fputs("<h2>Verdicts</h2>\n<div class=\"cards\">\n", to);
    for (size_t i = 0; i < r->count; i++)
        if (!print_card(&r->cards[i], to))
            return false;
    fputs("</div>\n", to);
    return true;
}

static void print_how_to_read(FILE *to)
{
    fputs("<h2>How to read this</h2>\n<dl class=\"how\">\n"
          "<dt>One read</dt><dd>An instrument that jumps around in a sample reads a little piece "
          "from a new place for every block of audio. If that takes longer than the block lasts, "
          "it is late (a miss), and one hears a gap or a click.</dd>\n"
          "<dt>Box plot</dt><dd>The box holds the middle half of all reads, the bar in it is the "
          "median: half of the reads are faster. Dots are unusually fast or slow reads. In the "
          "red zone reads are late, marked with a cross. Each step of the scale is a multiple of "
          "the one before.</dd>\n"
          "<dt>Hills</dt><dd>They show how many reads took how long; cards have several, "
          "for data that were at hand and data that had to be fetched in one or more steps. "
          "A rare hill is drawn higher than its share (by the square root), so that it can be "
          "seen.</dd>\n"
          "<dt>Dropouts</dt><dd>Late reads close together are heard once and counted "
          "once.</dd>\n"
          "<dt class=\"safe\">safe</dt><dd>No late read, in so many that at most one an hour is "
          "possible, with 95 % confidence.</dd>\n"
          "<dt class=\"unproven\">unproven</dt><dd>No late read, but too few reads to be sure: "
          "after N reads without a miss, up to 3 in N may still be late.</dd>\n"
          "<dt class=\"dropouts\">dropouts</dt><dd>Reads were late or failed.</dd>\n"
          "<dt class=\"failed\">failed</dt><dd>No read worked.</dd>\n"
          "<dt>Rank</dt><dd>Reliable before fast: a card that is quick on average but now and "
          "then late ranks below a slower one that never is.</dd>\n</dl>\n",
          to);
}

bool page_print(const report *r, FILE *to)
{
    print_head(r, to);
    if (!print_element(to, "p", "answer", words_answer(r)) ||
        !print_element(to, "p", "note", words_caution(r)))
        return false;
    fputs("<div class=\"scroll plot\">\n", to);
    if (!print_picture(r, false, to) || !print_picture(r, true, to))
        return false;
    fputs("</div>\n", to);
    print_figures(r, to);
    if (!print_cards(r, to))
        return false;
    print_how_to_read(to);
    fputs("<footer>Made by jumpcore " JUMPCORE_VERSION ".</footer>\n</main>\n</body>\n</html>\n",
          to);
    return true;
}
