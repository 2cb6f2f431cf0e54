package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.exported.ExportMark;
import io.agentworkspace.engine.memory.banks.transfer.source.Frontmatter;
import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.memory.banks.transfer.source.MarkdownSections;
import io.agentworkspace.engine.memory.banks.transfer.source.Section;
import io.agentworkspace.engine.memory.banks.transfer.source.SectionReader;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Folders of notes with frontmatter and wikilinks. Each section becomes a memory with the tags of its note; what the note
 * links to, and how, is kept in the origin.
 */
final class NotesFormat implements ImportFormat {
    /** The maximum size of a note, in bytes. */
    static final int MOST_BYTES = 8 << 20;

    static final String UNREADABLE = "a file is not UTF-8, or has more than %,d bytes".formatted(MOST_BYTES);

    /** How many notes are looked at to recognise the product. */
    private static final int SAMPLE = 50;

    /** How much of a note is looked at for that, in bytes. */
    private static final int HEAD = 1 << 16;

    private static final int MOST_LINKS = 20;
    private static final Pattern MARKDOWN = Pattern.compile(".*\\.(md|mdc|markdown)", Pattern.CASE_INSENSITIVE);
    private static final Pattern LINK =
            Pattern.compile("(?m)(?:^[-*] +([\\p{L}_][\\p{L}\\p{N}_ -]{0,59}) +)?!?\\[\\[([^\\[\\]|#\\n"
                    + "]{1,200})(?:[#|][^\\]\\n"
                    + "]{0,200})?]]");
    private static final Pattern HASHTAG = Pattern.compile("(?<=^|\\s)#([\\p{L}_][\\p{L}\\p{N}_/-]{0,63})");
    private static final Set<String> KNOWN = Set.of("tags", "tag", "created", "created_at", "date", "title");

    /** The products that have such folders. */
    enum Product {
        BASIC_MEMORY("basic-memory", "basic-memory"),
        OBSIDIAN("obsidian", "Obsidian");

        private final String word;
        private final String title;

        Product(String word, String title) {
            this.word = word;
            this.title = title;
        }
    }

    private final Product product;

    NotesFormat(Product product) {
        this.product = product;
    }

    static boolean isMarkdown(String path) {
        return MARKDOWN.matcher(path).matches();
    }

    @Override
    public String word() {
        return product.word;
    }

    @Override
    public String product() {
        return product.title;
    }

    @Override
    public boolean recognises(ImportSource source, Sampled sampled) throws IOException {
        if (product == Product.OBSIDIAN
                && source.parts().stream().anyMatch(part -> part.path().matches("(.*/)?\\.obsidian/.*"))) {
            return true;
        }
        var notes = sample(source);
        var count = 0;
        for (var note : notes) {
            var head = note.head(HEAD);
            var matter = Frontmatter.of(head);
            if (product == Product.BASIC_MEMORY ? matter.fields().has("permalink") : ExportMark.isIn(matter.fields())) {
                return true;
            }
            // Shell scripts and links of other programs have such brackets too.
            var hasLink = source.isFolder()
                    && head.contains("[[")
                    && LINK.matcher(head).find();
            count += hasLink || !matter.fields().isEmpty() ? 1 : 0;
        }
        return product == Product.OBSIDIAN && count > 0 && 2 * count > notes.size();
    }

    private static List<ImportSource.Part> sample(ImportSource source) {
        return source.parts().stream()
                .filter(part -> !source.isFolder() || isMarkdown(part.path()))
                .limit(SAMPLE)
                .toList();
    }

    /** Returns whether this engine exported one of the first notes. */
    static boolean isExport(ImportSource source) throws IOException {
        for (var note : sample(source)) {
            if (ExportMark.isIn(Frontmatter.of(note.head(HEAD)).fields())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void read(ImportSource source, CsvMapping mapping, Records out) throws IOException {
        var sections = new MarkdownSections(SectionReader.allowance());
        for (var part : source.parts()) {
            if (source.isFolder() && !isMarkdown(part.path())) {
                if (!part.path().contains(".obsidian/")) {
                    out.leaveOut("a file that is not Markdown was left out", part.place(1));
                }
                continue;
            }
            var text = part.text(MOST_BYTES);
            if (text == null) {
                out.refuse(UNREADABLE, part.place(1));
            } else {
                note(part, text, sections, out);
            }
        }
    }

    private void note(ImportSource.Part part, String text, MarkdownSections sections, Records out) {
        var matter = Frontmatter.of(text);
        if (matter.fault() != null) {
            out.leaveOut("the frontmatter is not valid YAML: it is kept as text", part.place(1));
        }
        var fields = matter.fields();
        if (ExportMark.isIn(fields) && fields.path("status").asString("").equals("superseded")) {
            out.leaveOut(Records.SUPERSEDED, part.place(1));
            return;
        }
        var first = sections.sections().size();
        var body = ExportMark.isIn(fields) ? ExportMark.withoutRelations(matter.body()) : matter.body();
        sections.read(part.path(), body, null);
        var added = sections.sections().subList(first, sections.sections().size());
        for (var section : added) {
            out.memory(memory(part, matter, section));
        }
    }

    private MemoryDraft memory(ImportSource.Part part, Frontmatter matter, Section section) {
        var fields = matter.fields();
        var tags = new ArrayList<>(Labels.tags(fields.path(fields.has("tags") ? "tags" : "tag")));
        HASHTAG.matcher(section.text()).results().limit(20).forEach(tag -> tags.add(tag.group(1)));
        var draft = new MemoryDraft(product.title, section.text(), part.place(section.line()))
                .name(section.name())
                .tags(Labels.tags(tags))
                .created(date(fields, part.date()))
                .origin("links", links(section.text()));
        if (ExportMark.isIn(fields)) {
            draft.expires(fields, "expires");
        }
        return draft.rest(fields, KNOWN).origin("title", fields.path("title"));
    }

    private static @Nullable Instant date(ObjectNode fields, @Nullable Instant ofFile) {
        for (var field : List.of("created_at", "created", "date")) {
            var time = Times.of(fields.path(field));
            if (time.isPresent()) {
                return time.get();
            }
        }
        return ofFile;
    }

    /** Returns what a section links to: a name, or a relation and a name. */
    private static ArrayNode links(String text) {
        var links = Json.array();
        LINK.matcher(text).results().limit(MOST_LINKS).forEach(link -> {
            var to = link.group(2).strip();
            if (link.group(1) == null) {
                links.add(to);
            } else {
                links.addObject().put("relation", link.group(1).strip()).put("to", to);
            }
        });
        return links;
    }
}
