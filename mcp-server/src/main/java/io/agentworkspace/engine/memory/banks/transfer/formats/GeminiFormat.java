package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.memory.banks.transfer.source.SectionReader;
import java.io.IOException;
import java.util.regex.Pattern;

/** Gemini's memory file: each point below {@code ## Gemini Added Memories} is a memory, other sections are as in Markdown. */
final class GeminiFormat implements ImportFormat {
    private static final String PRODUCT = "Gemini";
    private static final String HEADING = "Gemini Added Memories";
    private static final Pattern SIGN = Pattern.compile("(?m)^ {0,3}#{1,6} +" + HEADING + "[ \\t]*$");
    private static final Pattern POINT = Pattern.compile("(?m)^[-*+] +(?=\\S)");

    @Override
    public String word() {
        return "gemini";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public boolean recognises(ImportSource source, Sampled sampled) throws IOException {
        if (source.parts().stream().anyMatch(part -> part.path().contains(".obsidian/"))) {
            return false;
        }
        for (var part : source.parts()) {
            if (!source.isFolder() || part.path().matches("(.*/)?GEMINI\\.md")) {
                var text = part.text(NotesFormat.MOST_BYTES);
                if (text != null && SIGN.matcher(text).find()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isCandidate(ImportSource source, ImportSource.Part part) {
        return !source.isFolder() || NotesFormat.isMarkdown(part.path());
    }

    @Override
    public void read(ImportSource source, CsvMapping mapping, Records out) throws IOException {
        for (var part : source.parts()) {
            if (!isCandidate(source, part)) {
                out.leaveOut("a file that is not Markdown was left out", part.place(1));
                continue;
            }
            var text = part.text(NotesFormat.MOST_BYTES);
            if (text == null) {
                out.refuse(NotesFormat.UNREADABLE, part.place(1));
            } else {
                sections(part, text, out);
            }
        }
    }

    private static void sections(ImportSource.Part part, String text, Records out) {
        for (var section : SectionReader.of(part.path(), text, part.date())) {
            var at = part.place(section.line());
            if (SIGN.matcher(section.text()).find()) {
                var points =
                        POINT.split(SIGN.matcher(section.text()).replaceAll("").strip());
                for (var point : points) {
                    if (!point.isBlank()) {
                        out.memory(new MemoryDraft(PRODUCT, point, at).created(part.date()));
                    }
                }
            } else {
                out.memory(new MemoryDraft(PRODUCT, section.text(), at)
                        .name(section.name())
                        .created(part.date()));
            }
        }
    }
}
