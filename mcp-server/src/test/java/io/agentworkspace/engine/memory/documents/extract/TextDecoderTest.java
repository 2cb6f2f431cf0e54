package io.agentworkspace.engine.memory.documents.extract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.testing.Repository;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A text is decoded rightly or refused, never read in a wrong encoding. */
class TextDecoderTest {
    private record Sample(String encoding, String found, String text) {
        static Sample of(String line) {
            var parts = line.split(" \\| ", 3);
            return new Sample(parts[0], parts[1], parts[2].replace("\\n", "\n"));
        }

        byte[] bytes() {
            return text.getBytes(Charset.forName(encoding));
        }

        String line(String now) {
            return "%s | %s | %s".formatted(encoding, now, text.replace("\n", "\\n"));
        }
    }

    private static List<Sample> samples() {
        return Repository.text(Repository.file("mcp-server/src/test/resources/encodings.txt"))
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(Sample::of)
                .toList();
    }

    private static String found(Sample sample) {
        try {
            var text = TextDecoder.decode(sample.bytes(), Optional.empty()).text();
            return text.equals(sample.text().replace("\uFEFF", "")) ? "decoded" : "WRONG: " + text;
        } catch (Rejection refused) {
            return refused.reason().code() == DocumentReason.Code.ENCODING ? "refused" : "WRONG: " + refused.reason();
        }
    }

    @Test
    void eachSampleIsDecodedOrRefused() {
        var samples = samples();
        assertThat(samples).hasSizeGreaterThanOrEqualTo(200);
        assertThat(samples.stream().map(sample -> sample.line(found(sample))))
                .containsExactlyElementsOf(samples.stream()
                        .map(sample -> sample.line(sample.found()))
                        .toList());
        assertThat(samples.stream()
                                .filter(sample -> sample.found().equals("decoded"))
                                .count()
                        * 3)
                .isGreaterThanOrEqualTo(samples.size() * 2L);
    }

    /** Each short text in each encoding of its language: rare ones, too. */
    private static Stream<Sample> shortTexts() {
        return Repository.text(Repository.file("mcp-server/src/test/resources/short-texts.txt"))
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" \\| ", 3))
                .flatMap(parts -> Arrays.stream(parts[1].split(" "))
                        .flatMap(encoding -> Arrays.stream(parts[2].split(" ; "))
                                .map(text -> new Sample(encoding, "", text.replace("\\n", "\n")))))
                .filter(sample -> new String(sample.bytes(), Charset.forName(sample.encoding())).equals(sample.text()));
    }

    @Test
    void aShortTextInARareEncodingIsNeverReadWrongly() {
        var found = shortTexts().collect(Collectors.groupingBy(TextDecoderTest::found, Collectors.counting()));
        assertThat(found).containsOnlyKeys("decoded", "refused");
        assertThat(found.get("decoded")).isGreaterThan(450);
        assertThat(found.get("refused")).isGreaterThan(400);
    }

    @Test
    void aDeclaredEncodingCounts() {
        for (var sample : samples()) {
            var declared = DeclaredCharset.ofUpload(sample.encoding());
            assertThat(TextDecoder.decode(sample.bytes(), declared).text())
                    .as(sample.encoding())
                    .isEqualTo(sample.text().replace("\uFEFF", ""));
            if (!sample.encoding().startsWith("UTF-") && !sample.text().contains("\n")) {
                var html =
                        "<html><head><meta charset=\"%s\"></head><body>%s".formatted(sample.encoding(), sample.text());
                assertThat(TextDecoder.decode(html.getBytes(Charset.forName(sample.encoding())), Optional.empty())
                                .text())
                        .isEqualTo(html);
                var xhtml =
                        "<?xml version='1.0' encoding='%s'?><html><body>%s".formatted(sample.encoding(), sample.text());
                assertThat(TextDecoder.decode(xhtml.getBytes(Charset.forName(sample.encoding())), Optional.empty())
                                .text())
                        .isEqualTo(xhtml);
            }
        }
        assertThat(TextDecoder.decode(
                                "①髙".getBytes(Charset.forName("windows-31j")), DeclaredCharset.ofUpload("Shift_JIS"))
                        .text())
                .isEqualTo("①髙");
        assertThatThrownBy(() -> DeclaredCharset.ofUpload("x-none")).hasMessageContaining("unknown encoding x-none");
        assertThatThrownBy(() -> TextDecoder.decode(bytes("caf", 0x81), DeclaredCharset.ofUpload("shift_jis")))
                .hasMessageContaining("windows-31j");
    }

    /** @param parts texts, and bytes as numbers */
    private static byte[] bytes(Object... parts) {
        var bytes = new ByteArrayOutputStream();
        for (var part : parts) {
            if (part instanceof Integer one) {
                bytes.write(one);
            } else {
                bytes.writeBytes(part.toString().getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    private static void faulty(byte[] file, String text, String... places) {
        var decoded = TextDecoder.decode(file, Optional.empty());
        assertThat(decoded.text()).isEqualTo(text);
        assertThat(decoded.warnings())
                .allSatisfy(one -> assertThat(one.warns()).isTrue())
                .extracting(DocumentReason::position)
                .containsExactly(places);
    }

    @Test
    void utf8WithFewFaultsStaysUtf8() {
        faulty(bytes("Grüße aus Köln ", 0xFF, " und Jörg"), "Grüße aus Köln \uFFFD und Jörg", "byte 19");
        faulty(bytes("naïve café ", 0xE9), "naïve café \uFFFD", "byte 14");
        faulty(bytes("東京と", 0xE5, 0xA4, " 京都"), "東京と\uFFFD 京都", "byte 10");
        faulty(bytes("Москва, Киев, Ми", 0xD0), "Москва, Киев, Ми\uFFFD", "byte 29");
        faulty(bytes(0xEF, 0xBB, 0xBF, "plain ", 0xC3, "("), "plain \uFFFD(", "byte 10");
        faulty(
                bytes("日本語の文章です。", 0xFF, "日本語の文章です。", 0xC0, "日本語の文章です。"),
                "日本語の文章です。\uFFFD日本語の文章です。\uFFFD日本語の文章です。",
                "byte 28",
                "byte 56");
    }

    @Test
    void anUndecidedTextIsRefusedWithThePlace() {
        for (var file : List.of(
                bytes("plain, then ", 0xF1), bytes("caf", 0x81, 0x20, 0xFE, 0xFD), bytes(0xCF, 0xB5, 0xCD, 0xB3))) {
            assertThatThrownBy(() -> TextDecoder.decode(file, Optional.empty()))
                    .isInstanceOfSatisfying(
                            Rejection.class,
                            refused -> assertThat(refused.reason().position()).startsWith("byte "));
        }
    }

    @Test
    void utf8ThatDeclaresAnotherEncodingIsReadWithAWarning() {
        var file = bytes("<html><meta charset=iso-8859-1><body>Grüße");
        var decoded = TextDecoder.decode(file, Optional.empty());
        assertThat(decoded.text()).endsWith("Grüße");
        assertThat(decoded.warnings())
                .extracting(DocumentReason::code)
                .containsExactly(DocumentReason.Code.ENCODING_FAULTS);
    }
}
