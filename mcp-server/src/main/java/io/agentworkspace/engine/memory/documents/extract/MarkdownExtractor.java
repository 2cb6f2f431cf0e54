package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.BlockQuote;
import org.commonmark.node.BulletList;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.OrderedList;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.jsoup.Jsoup;

/** Extracts Markdown with GitHub's tables. */
public final class MarkdownExtractor {
    private static final Parser PARSER = Parser.builder()
            .extensions(List.of(TablesExtension.create()))
            .includeSourceSpans(IncludeSourceSpans.BLOCKS)
            .maxOpenBlockParsers(Bounds.DEPTH)
            .build();

    private final BlockWriter out;
    private String position = "line 1";

    private MarkdownExtractor(BlockWriter out) {
        this.out = out;
    }

    public static void extract(String text, BlockWriter out) {
        new MarkdownExtractor(out).children(PARSER.parse(text), 0);
    }

    private void children(Node parent, int depth) {
        for (var node = parent.getFirstChild(); node != null; node = node.getNext()) {
            block(node, depth);
        }
    }

    private void block(Node node, int depth) {
        if (!node.getSourceSpans().isEmpty()) {
            position = "line " + (node.getSourceSpans().getFirst().getLineIndex() + 1);
        }
        switch (node) {
            case Heading heading -> out.add(BlockKind.HEADING, heading.getLevel(), inline(heading), position);
            case Paragraph paragraph ->
                out.add(depth > 0 ? BlockKind.ITEM : BlockKind.PARAGRAPH, depth, inline(paragraph), position);
            case FencedCodeBlock code -> out.addCode(code.getLiteral(), code.getInfo(), position);
            case IndentedCodeBlock code -> out.addCode(code.getLiteral(), null, position);
            case HtmlBlock html ->
                out.add(BlockKind.PARAGRAPH, 0, Jsoup.parse(html.getLiteral()).text(), position);
            case BulletList list -> children(list, depth + 1);
            case OrderedList list -> children(list, depth + 1);
            case ListItem item -> children(item, depth);
            case BlockQuote quote -> children(quote, depth);
            case TableBlock table -> table(table);
            default -> children(node, depth);
        }
    }

    private void table(TableBlock table) {
        var isFirst = true;
        for (var part = table.getFirstChild(); part != null; part = part.getNext()) {
            for (var row = part.getFirstChild(); row != null; row = row.getNext()) {
                if (row instanceof TableRow) {
                    out.add(isFirst ? BlockKind.HEADER : BlockKind.ROW, 0, cells(row), position);
                    isFirst = false;
                }
            }
        }
    }

    private static String cells(Node row) {
        var cells = new ArrayList<String>();
        for (var cell = row.getFirstChild(); cell != null; cell = cell.getNext()) {
            if (cell instanceof TableCell) {
                cells.add(inline(cell));
            }
        }
        return CsvExtractor.joined(cells);
    }

    private static String inline(Node node) {
        var text = new StringBuilder();
        inline(node, text);
        return text.toString();
    }

    private static void inline(Node parent, StringBuilder text) {
        for (var node = parent.getFirstChild(); node != null; node = node.getNext()) {
            switch (node) {
                case Text words -> text.append(words.getLiteral());
                case Code code -> text.append(code.getLiteral());
                case SoftLineBreak _ -> text.append(' ');
                case HardLineBreak _ -> text.append(' ');
                case HtmlInline _ -> {}
                default -> inline(node, text);
            }
        }
    }
}
