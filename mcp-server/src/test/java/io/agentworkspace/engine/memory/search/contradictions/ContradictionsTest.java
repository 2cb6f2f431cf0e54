package io.agentworkspace.engine.memory.search.contradictions;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.banks.BankFixture;
import io.agentworkspace.engine.memory.facts.Claim;
import io.agentworkspace.engine.memory.facts.Difference;
import io.agentworkspace.engine.testing.TestCaller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which memories the report of MB_Evaluate shows as contradictions. */
class ContradictionsTest {
    private static final Path SET = Path.of("../benchmarks/sets/contradictions.txt");

    /** The halves of the set, by the numbers of the pairs: rules were chosen with the first one. */
    @Test
    void fewPairsAreReportedWronglyInEitherHalf() throws IOException {
        for (var half = 0; half < 2; half++) {
            var reported = 0;
            var right = 0;
            var all = 0;
            var number = 0;
            for (var line : Files.readAllLines(SET)) {
                if (line.startsWith("#") || number++ % 2 != half) {
                    continue;
                }
                var parts = line.split(" \\| ");
                var isReported = Difference.between(Claim.of(parts[1]), Claim.of(parts[2]))
                        .isPresent();
                var isOne = parts[0].equals("C");
                all += isOne ? 1 : 0;
                reported += isReported ? 1 : 0;
                right += isReported && isOne ? 1 : 0;
            }
            assertThat(all).isEqualTo(41);
            assertThat((double) right / reported).as("precision").isGreaterThanOrEqualTo(0.9);
            assertThat((double) right / all).as("recall").isGreaterThanOrEqualTo(0.8);
        }
    }

    /** Other texts are read in the same time at most: only the first sentences, and no long ones. */
    @Test
    void anyTextIsRead() {
        var pieces = List.of(
                "a\u017fix ",
                "\u212a ",
                "\u0130",
                "\u017fep 99 ",
                "1 ",
                "1.1.",
                "a.",
                " and ",
                " = ",
                ": ",
                "\"",
                "noon",
                "99:99 ",
                "9 p.m ",
                "\n",
                "2024-99-99 ",
                "v1.",
                "$ ",
                "9".repeat(400),
                "-",
                "Ann ",
                " is ",
                "? ",
                "5k ",
                "@",
                "of ",
                "\ud83d",
                "at least ",
                "31st may ",
                "\u2019",
                "x".repeat(50),
                " not ");
        var random = new Random(1);
        for (var i = 0; i < 2_000; i++) {
            var text = new StringBuilder();
            for (var length = random.nextInt(60); length > 0; length--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            var claims = Claim.of(text.toString());
            Difference.between(claims, claims);
        }
        for (var piece : List.of("1 ", "a.", " ", "\n", "A", "a=b ", "x\n", "1 is 2. ", "five and ", "\" \"", "a@")) {
            assertThat(Claim.of(piece.repeat(64_000 / piece.length())))
                    .as(piece)
                    .hasSizeLessThanOrEqualTo(40);
        }
    }

    @Test
    void numbersAreReadWithTheWordsBeforeThem() {
        assertThat(difference("The handover 5 is at dock 7.", "The handover 5 is at dock 8."))
                .isTrue();
        assertThat(difference("The open ports are 80 and 443.", "The open ports are 80 and 8443."))
                .isTrue();
        assertThat(difference("The limit is at least 5 MB.", "The limit is 6 MB."))
                .isFalse();
    }

    private static boolean difference(String one, String other) {
        return Difference.between(Claim.of(one), Claim.of(other)).isPresent();
    }

    @Test
    void theReportNamesBothMemoriesTheSubjectAndTheValues() {
        var fixture = new BankFixture();
        var ann = fixture.ann;
        BankFixture.bank(ann, "b");
        BankFixture.bank(ann, "other");
        BankFixture.storeNamed(ann, "b", "", "port", "The billing database listens on port 5432.")
                .ok();
        store(ann, "b", "We met at the harbour. The port of the billing database is 5433.");
        store(ann, "b", "The orders database listens on port 6000.");
        store(ann, "other", "The port of the orders database is 6001.");
        var old = store(ann, "b", "The standup starts at 9:00.");
        ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b'},'content':'The standup starts at 10:00.','supersedes':'%s'}"
                                .formatted(old))
                .ok();
        var report = ann.call("MB_Evaluate", "{'target':{'bank':'b'},'report':'contradictions'}")
                .ok();
        assertThat(report.at("/contradictions/pairs")).hasSize(1);
        assertThat(report.text("/contradictions/pairs/0/subject")).isEqualTo("port billing database");
        assertThat(report.text("/contradictions/pairs/0/newer/value")).isEqualTo("5433");
        assertThat(report.text("/contradictions/pairs/0/older/value")).isEqualTo("5432");
        assertThat(report.text("/contradictions/pairs/0/older/name")).isEqualTo("port");
        assertThat(report.number("/contradictions/compared")).isEqualTo(4);
        assertThat(report.at("/contradictions/more").asBoolean(true)).isFalse();
        assertThat(report.at("/hybrid").isMissingNode()).isTrue();

        ann.call("MB_Evaluate", "{'target':{'bank':'b'}}").refused(1003, "pairs");
        ann.call(
                        "MB_Evaluate",
                        "{'target':{'bank':'b'},'report':'contradictions','pairs':[{'query':'x','expected':['y']}]}")
                .refused(1004, "pairs");
        ann.call("MB_Evaluate", "{'target':{'bank':'none'},'report':'contradictions'}")
                .refused(3001);
    }

    /** What is compared is what a reader of the bank sees, and at most 50 pairs are returned. */
    @Test
    void theReportIsBounded() {
        var ann = new BankFixture().ann;
        BankFixture.bank(ann, "b");
        for (var value : List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)) {
            store(ann, "b", "The number of seats in the hall is %d.".formatted(value * 7));
        }
        var report = ann.call("MB_Evaluate", "{'target':{'bank':'b'},'report':'contradictions'}")
                .ok();
        assertThat(report.at("/contradictions/pairs")).hasSize(50);
        assertThat(report.at("/contradictions/more").asBoolean()).isTrue();
    }

    private static String store(TestCaller who, String bank, String text) {
        return who.call("MB_Store", "{'target':{'bank':'%s'},'content':'%s'}".formatted(bank, text))
                .ok()
                .text("/memory/id");
    }
}
