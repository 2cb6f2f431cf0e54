package io.agentworkspace.engine.hubs.markdown;

import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;

/** The text of a piece of Markdown, without markup. */
final class PlainText extends AbstractVisitor {
    private final StringBuilder words = new StringBuilder();

    private PlainText() {}

    static String of(Node node) {
        var visitor = new PlainText();
        node.accept(visitor);
        return visitor.words.toString().strip();
    }

    @Override
    public void visit(Text text) {
        words.append(text.getLiteral());
    }

    @Override
    public void visit(Code code) {
        words.append(code.getLiteral());
    }

    @Override
    public void visit(HtmlInline markup) {
        words.append(markup.getLiteral());
    }

    @Override
    public void visit(FencedCodeBlock code) {
        words.append(code.getLiteral()).append(' ');
    }

    @Override
    public void visit(IndentedCodeBlock code) {
        words.append(code.getLiteral()).append(' ');
    }

    @Override
    public void visit(SoftLineBreak end) {
        words.append(' ');
    }

    @Override
    public void visit(HardLineBreak end) {
        words.append(' ');
    }

    /** Separates paragraphs, list items and cells. */
    @Override
    protected void visitChildren(Node parent) {
        super.visitChildren(parent);
        if (parent instanceof Block || parent instanceof CustomNode) {
            words.append(' ');
        }
    }
}
