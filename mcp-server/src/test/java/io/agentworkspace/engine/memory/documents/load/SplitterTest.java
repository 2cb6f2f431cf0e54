package io.agentworkspace.engine.memory.documents.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No words of a document are lost when it is split. */
class SplitterTest {
    private static Block heading(int level, String text) {
        return new Block(BlockKind.HEADING, level, text, "line 1");
    }

    private static Block words(String text) {
        return new Block(BlockKind.PARAGRAPH, 0, text, "line 1");
    }

    private static String split(Block... blocks) {
        return Splitter.split(List.of(blocks)).stream().map(Piece::text).collect(Collectors.joining("\n---\n"));
    }

    @Test
    void headingsWithoutWordsAreKept() {
        assertThat(split(heading(1, "Only"))).isEqualTo("# Only");
        assertThat(split(heading(1, "Plan"), heading(2, "One"), heading(2, "Two")))
                .isEqualTo("Plan\n\n## One\n\n## Two");
        assertThat(split(heading(1, "Plan"), heading(2, "Call 0123"), heading(1, "End"), words("Text.")))
                .contains("## Call 0123")
                .endsWith("End\n\nText.");
        assertThat(split(heading(1, "Plan"), words("Text."), heading(1, "Last")))
                .endsWith("# Last");
    }

    @Test
    void headingsAboveWordsAreTheirContextOnce() {
        assertThat(split(heading(1, "Plan"), heading(2, "One"), words("Text."))).isEqualTo("Plan > One\n\nText.");
        assertThat(split(heading(1, "One"), heading(1, "Plan"), words("Text.")))
                .containsOnlyOnce("One")
                .containsOnlyOnce("Plan");
    }

    @Test
    void aLongOutlineIsInSeveralPieces() {
        var outline = Stream.concat(
                        Stream.of(heading(1, "Plan")),
                        IntStream.range(0, 2_000)
                                .mapToObj(n -> heading(2 + n % 2, "Point %d of the plan".formatted(n))))
                .toList();
        var pieces = Splitter.split(outline);
        var all = pieces.stream().map(Piece::text).collect(Collectors.joining("\n"));
        outline.forEach(point -> assertThat(all).contains(point.text()));
        assertThat(pieces).hasSizeGreaterThan(10).allMatch(piece -> Tokens.of(piece.text()) < 700);
    }

    /** Each piece of long code is code of its own. */
    @Test
    void codeKeepsItsFences() {
        var code = IntStream.range(0, 300)
                .mapToObj(n -> "    call(%d, \"some words. And more.\");".formatted(n))
                .collect(Collectors.joining("\n"));
        var pieces = Splitter.split(List.of(heading(1, "Plan"), new Block(BlockKind.CODE, 0, code, "line 2", "java")));
        assertThat(pieces).hasSizeGreaterThan(3);
        assertThat(pieces)
                .allSatisfy(piece -> assertThat(piece.text())
                        .startsWith("Plan\n\n```java\n    call(")
                        .endsWith(");\n```"));
        assertThat(pieces.stream()
                        .flatMap(piece -> piece.text().lines().filter(line -> line.startsWith("    call")))
                        .collect(Collectors.joining("\n")))
                .isEqualTo(code);
    }
}
