package io.agentworkspace.engine.memory.documents.extract.office;

import com.rtfparserkit.parser.RtfListenerAdaptor;
import com.rtfparserkit.parser.RtfStreamSource;
import com.rtfparserkit.parser.standard.StandardRtfParser;
import com.rtfparserkit.rtf.Command;
import com.rtfparserkit.rtf.CommandType;
import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.CsvExtractor;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Extracts RTF: headings by their outline levels, paragraphs, lists, tables and notes, without hidden or deleted text. */
public final class RtfExtractor extends RtfListenerAdaptor {
    /** The destinations whose text is read; that of all others is not text of the document. */
    private static final Set<Command> READ = Set.of(
            Command.rtf,
            Command.fldrslt,
            Command.shptxt,
            Command.footnote,
            Command.annotation,
            Command.stylesheet,
            Command.field,
            Command.shp,
            Command.shpinst,
            Command.atnauthor);

    private static final Pattern HEADING = Pattern.compile("heading (\\d)\\b.*", Pattern.CASE_INSENSITIVE);

    private final BlockWriter out;
    private final Deque<Group> groups = new ArrayDeque<>();
    private final Map<Integer, Integer> headings = new HashMap<>();
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder cell = new StringBuilder();
    private final StringBuilder note = new StringBuilder();
    private final StringBuilder style = new StringBuilder();
    private final List<String> cells = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private String author = "";
    private Group group = new Group();
    private int heading;
    private int item;
    private int styleNumber;
    private int styleLevel;
    private int number;
    private boolean isInTable;
    private boolean hasHeader;

    /** What the commands of a group say, which ends with it. */
    private static final class Group {
        private boolean isSkipped;
        private boolean isHidden;
        private Command destination = Command.rtf;

        Group inner() {
            var inner = new Group();
            inner.isSkipped = isSkipped;
            inner.isHidden = isHidden;
            inner.destination = destination;
            return inner;
        }
    }

    private RtfExtractor(BlockWriter out) {
        this.out = out;
    }

    public static void extract(byte[] file, BlockWriter out) {
        var extractor = new RtfExtractor(out);
        try {
            new StandardRtfParser().parse(new RtfStreamSource(new ByteArrayInputStream(renamed(file))), extractor);
        } catch (IOException | RuntimeException e) {
            if (e instanceof Rejection rejection) {
                throw rejection;
            }
            throw Rejection.damaged(
                    "its RTF cannot be read; open it and save it again", "paragraph " + (extractor.number + 1));
        }
        extractor.endParagraph();
        extractor.endRow();
    }

    /** The parser does not know the level of headings. It is passed on as a command that hardly any document has. */
    private static byte[] renamed(byte[] file) {
        return new String(file, StandardCharsets.ISO_8859_1)
                .replace("\\outlinelevel", "\\horzvert")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void processGroupStart() {
        groups.push(group);
        if (groups.size() > Bounds.HTML_DEPTH) {
            throw Rejection.damaged("its groups are nested deeper than %d levels".formatted(Bounds.HTML_DEPTH), null);
        }
        group = group.inner();
    }

    @Override
    public void processGroupEnd() {
        var ended = group;
        group = groups.isEmpty() ? new Group() : groups.pop();
        if (ended.destination == group.destination) {
            return;
        }
        switch (ended.destination) {
            case footnote -> {
                notes.add(note.toString());
                note.setLength(0);
            }
            case annotation -> {
                out.addComment(author, note.toString(), place());
                note.setLength(0);
            }
            default -> {}
        }
    }

    @Override
    public void processString(String words) {
        if (group.isSkipped || group.isHidden) {
            return;
        }
        switch (group.destination) {
            case stylesheet -> style(words);
            case footnote, annotation -> note.append(words);
            case atnauthor -> author = words;
            default -> text.append(words);
        }
    }

    /** Reads the name of a style, which ends with a semicolon. The built-in ones are English in every language. */
    private void style(String words) {
        style.append(words);
        if (style.indexOf(";") >= 0) {
            var named = HEADING.matcher(style);
            var level = styleLevel > 0
                    ? styleLevel
                    : named.matches()
                            ? Integer.parseInt(named.group(1))
                            : style.toString().strip().equalsIgnoreCase("title;") ? 1 : 0;
            if (level > 0) {
                headings.put(styleNumber, level);
            }
            style.setLength(0);
            styleLevel = 0;
            styleNumber = 0;
        }
    }

    @Override
    public void processCommand(Command command, int parameter, boolean hasParameter, boolean isOptional) {
        if (command == Command.optionalcommand) {
            group.isSkipped = true; // Of a destination that the parser does not know.
        } else if (command.getCommandType() == CommandType.Destination) {
            group.isSkipped |= !READ.contains(command);
            if (!isContainer(command)) {
                group.destination = command;
            }
        } else if (!group.isSkipped) {
            run(command, parameter, hasParameter);
        }
    }

    private static boolean isContainer(Command command) {
        return switch (command) {
            case field, fldrslt, shp, shpinst, shptxt -> true;
            default -> false;
        };
    }

    private void run(Command command, int parameter, boolean hasParameter) {
        if (group.destination == Command.stylesheet) {
            switch (command) {
                case s -> styleNumber = parameter;
                case horzvert -> styleLevel = parameter < 9 ? parameter + 1 : 0;
                default -> {}
            }
            return;
        }
        var isNote = group.destination != Command.rtf;
        switch (command) {
            case v, deleted -> group.isHidden = !hasParameter || parameter != 0;
            case plain -> group.isHidden = false;
            case par, sect, page -> {
                if (isNote) {
                    note.append(' ');
                } else {
                    endParagraph();
                }
            }
            case line, tab, column, softline, lbr, nonbreakingspace -> processString(" ");
            case nonbreakinghyphen -> processString("-");
            case pard -> {
                heading = 0;
                item = 0;
                isInTable &= isNote;
            }
            case s -> heading = isNote ? heading : headings.getOrDefault(parameter, 0);
            case horzvert -> heading = isNote ? heading : parameter < 9 ? parameter + 1 : 0;
            case ls -> item = isNote ? item : Math.max(1, item);
            case ilvl -> item = isNote ? item : Math.clamp(parameter, 0, 8) + 1;
            case intbl -> isInTable |= !isNote;
            case nestcell, nestrow -> endParagraph();
            case cell -> endCell();
            case row -> endRow();
            default -> {}
        }
    }

    private String place() {
        return "paragraph " + Math.max(1, number);
    }

    private void endParagraph() {
        number++;
        var words = text.toString();
        text.setLength(0);
        if (isInTable) {
            cell.append(cell.isEmpty() || words.isBlank() ? "" : " ").append(words);
            return;
        }
        if (!words.isBlank()) {
            hasHeader = false;
        }
        var kind = heading > 0 ? BlockKind.HEADING : item > 0 ? BlockKind.ITEM : BlockKind.PARAGRAPH;
        out.add(kind, heading > 0 ? heading : item, words, place());
        endNotes();
    }

    /** Writes the footnotes below the paragraph or row that refers to them. */
    private void endNotes() {
        notes.forEach(words -> out.add(BlockKind.PARAGRAPH, 0, "Note: " + words, place()));
        notes.clear();
    }

    private void endCell() {
        isInTable = true;
        endParagraph();
        if (cells.size() < Bounds.COLUMNS) {
            cells.add(cell.toString());
        }
        cell.setLength(0);
    }

    private void endRow() {
        if (cells.isEmpty()) {
            return;
        }
        out.add(hasHeader ? BlockKind.ROW : BlockKind.HEADER, 0, CsvExtractor.joined(cells), place());
        hasHeader = true;
        cells.clear();
        if (!notes.isEmpty()) {
            endNotes();
            hasHeader = false;
        }
    }
}
