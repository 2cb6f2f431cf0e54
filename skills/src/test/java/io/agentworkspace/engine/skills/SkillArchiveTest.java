package io.agentworkspace.engine.skills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkillArchiveTest {
    private static final int LINK = 0120777;
    private static final int PIPE = 0010644;
    private static final String MAIN = """
            ---
            name: pdf-forms
            description: Fills forms.
            ---
            Body.
            """;

    /** Builds an archive with any content. */
    private static final class Draft {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final ZipArchiveOutputStream zip = new ZipArchiveOutputStream(bytes);

        Draft with(String path, String text) throws IOException {
            return with(path, text.getBytes(StandardCharsets.UTF_8), 0100644);
        }

        Draft with(String path, byte[] content, int mode) throws IOException {
            var entry = new ZipArchiveEntry(path);
            entry.setUnixMode(mode);
            return with(entry, content);
        }

        Draft with(ZipArchiveEntry entry, byte[] content) throws IOException {
            zip.putArchiveEntry(entry);
            zip.write(content);
            zip.closeArchiveEntry();
            return this;
        }

        byte[] bytes() throws IOException {
            zip.finish();
            return bytes.toByteArray();
        }
    }

    private static Draft draft() throws IOException {
        return new Draft().with("SKILL.md", MAIN);
    }

    private static void refused(byte[] zip, String... noted) {
        assertThatThrownBy(() -> SkillArchive.read(zip))
                .isInstanceOfSatisfying(
                        Problem.class,
                        problem -> assertThat(problem.failure()).isIn(Failure.INVALID_FIELD, Failure.TOO_LARGE))
                .hasMessageContainingAll(noted);
    }

    @Test
    void filesAtTheRootOrInOneFolderOfTheSkillsNameAreTheSameSkill() throws IOException {
        var flat =
                SkillArchive.read(draft().with("references/größe.md", "Groß.").bytes());
        var nested = SkillArchive.read(new Draft()
                .with("pdf-forms/", new byte[0], 0040755)
                .with("pdf-forms/references/größe.md", "Groß.")
                .with("pdf-forms/SKILL.md", MAIN)
                .with("__MACOSX/pdf-forms/._SKILL.md", "junk")
                .with("pdf-forms/.DS_Store", "junk")
                .bytes());
        assertThat(flat.files()).extracting(SkillFile::path).containsExactly("SKILL.md", "references/größe.md");
        assertThat(flat.name()).isEqualTo("pdf-forms");
        assertThat(nested.card()).isEqualTo(flat.card());
        assertThat(SkillArchive.write(nested)).isEqualTo(SkillArchive.write(flat));
    }

    /** The archive's digest is the skill's: another library or Java version must not change it. */
    @Test
    void whatIsWrittenIsTheSameForEver() throws IOException {
        var skill = Skill.of(List.of(
                SkillFile.of("scripts/größe.sh", "echo".getBytes(StandardCharsets.UTF_8)),
                SkillFile.of("SKILL.md", MAIN.getBytes(StandardCharsets.UTF_8))));
        assertThat(skill.card().digest())
                .isEqualTo("sha256:c6d876c7c61c324c43d0346030cf1519215cf8460926ee4b0c76a46515bcb001");
        var names = new ArrayList<String>();
        try (var zip = new ZipInputStream(new ByteArrayInputStream(SkillArchive.write(skill)))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                names.add(entry.getName());
                assertThat(zip.readAllBytes())
                        .isEqualTo(skill.files().get(names.size() - 1).bytes());
            }
        }
        assertThat(names).containsExactly("SKILL.md", "scripts/größe.sh");
        assertThat(SkillArchive.read(SkillArchive.write(skill)).card()).isEqualTo(skill.card());
    }

    @Test
    void whatIsWrittenIsTheSameEverywhere() {
        var skill = Skill.of(List.of(SkillFile.of("SKILL.md", MAIN.getBytes(StandardCharsets.UTF_8))));
        var here = TimeZone.getDefault();
        try {
            var written = Stream.of("UTC", "Europe/Berlin", "America/Los_Angeles")
                    .map(zone -> {
                        TimeZone.setDefault(TimeZone.getTimeZone(zone));
                        return HexFormat.of().formatHex(SkillArchive.write(skill));
                    })
                    .distinct();
            assertThat(written).hasSize(1);
        } finally {
            TimeZone.setDefault(here);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../evil.md",
                "/etc/passwd",
                "a/../../evil.md",
                "a//b.md",
                "a/./b.md",
                "C:/evil.md",
                "a\nb.md",
                "a\u202Eb.md",
                "a:b.md",
                "a*b.md",
                "a./b.md",
                "b.",
                "CON",
                "forms/nul.txt",
                "com1.md",
                "\u3164.md",
                " a.md"
            })
    void aPathThatLeavesTheFolderOrThatNoSystemCarriesIsRefused(String path) throws IOException {
        refused(draft().with(path, "evil").bytes(), "the path '", "must be");
    }

    @Test
    void aFolderCannotLeadOutEither() throws IOException {
        refused(new Draft().with("../SKILL.md", MAIN).with("../b.md", "b").bytes(), "name in SKILL.md", "'..'");
        refused(new Draft().with("forms/SKILL.md", MAIN).bytes(), "must be the name of the skill's folder");
        refused(new Draft().with("a/SKILL.md", MAIN).with("b/c.md", "c").bytes(), "must hold the file SKILL.md");
        refused(new Draft().with("skill.md", MAIN).bytes(), "spelt exactly so");
        refused(new Draft().bytes(), "must hold the file SKILL.md");
    }

    @Test
    void linksAndDevicesAreRefused() throws IOException {
        var target = "/etc/passwd".getBytes(StandardCharsets.UTF_8);
        refused(draft().with("notes.txt", target, LINK).bytes(), "'notes.txt' must be a plain file, not a link");
        refused(draft().with("pipe", new byte[0], PIPE).bytes(), "'pipe' must be a plain file");
        refused(new Draft().with("SKILL.md", target, LINK).bytes(), "must be a plain file");
    }

    @Test
    void twinsAreRefused() throws IOException {
        refused(draft().with("SKILL.md", MAIN).bytes(), "'SKILL.md' is there twice");
        refused(draft().with("a/B.md", "1").with("a/b.md", "2").bytes(), "is there twice");
        refused(draft().with("stra\u00dfe", "1").with("STRASSE", "2").bytes(), "is there twice");
        refused(draft().with("a", "1").with("a/b.md", "2").bytes(), "has the name of a folder");
    }

    @Test
    void noMoreIsUnpackedThanASkillMayHave() throws IOException {
        var mebibyte = new byte[1 << 20];
        refused(
                draft().with("bomb.bin", new byte[32 << 20], 0).bytes(),
                "the file 'bomb.bin'",
                "1,048,576 are allowed");
        var many = draft();
        for (var i = 0; i < 6; i++) {
            many.with("zeros-%d.bin".formatted(i), mebibyte, 0);
        }
        refused(many.bytes(), "the skill has", "5,242,880 are allowed");
        var crowd = draft();
        for (var i = 0; i < 500; i++) {
            crowd.with("f%d".formatted(i), new byte[0], 0);
        }
        refused(crowd.bytes(), "files; at most 100 are allowed");
        var random = new byte[SkillArchive.MAX_BYTES + 1];
        new Random(1).nextBytes(random);
        refused(random, "archive has 1,048,577 bytes");
    }

    /** The size that an entry claims is ignored. */
    @Test
    void aFalseSizeOrChecksumIsNoticed() throws IOException {
        var zip = draft().with("a.txt", "0123456789".repeat(1_000)).bytes();
        var directory = new String(zip, StandardCharsets.ISO_8859_1).lastIndexOf("PK\u0001\u0002");
        var lying = zip.clone();
        lying[directory + 24] = 1;
        lying[directory + 25] = 0;
        refused(lying, "'a.txt' is damaged");
        var damaged = zip.clone();
        damaged[directory + 16] ^= 1;
        refused(damaged, "'a.txt' is damaged");
    }

    @Test
    void encryptedEntriesAndOddMethodsAreRefused() throws IOException {
        var encrypted = draft().bytes();
        var directory = new String(encrypted, StandardCharsets.ISO_8859_1).indexOf("PK\u0001\u0002");
        encrypted[6] |= 1;
        encrypted[directory + 8] |= 1;
        refused(encrypted, "must not be encrypted");
        var odd = draft().bytes();
        odd[8] = 12;
        odd[directory + 10] = 12;
        refused(odd, "deflate");
    }

    /** For any bytes, the result is a skill or a refusal. */
    @Test
    void bytesThatAreNoZipAreRefused() throws IOException {
        refused(new byte[0], "must be a complete zip");
        refused("PK\u0003\u0004 nothing".getBytes(StandardCharsets.UTF_8), "must be a complete zip");
        var whole = draft().with("references/guide.md", "How to.").bytes();
        var random = new Random(7);
        for (var i = 0; i < 1_000; i++) {
            var broken =
                    random.nextBoolean() ? whole.clone() : java.util.Arrays.copyOf(whole, random.nextInt(whole.length));
            for (var n = random.nextInt(8); n > 0 && broken.length > 0; n--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(SkillArchive.read(broken).name()).isNotEmpty();
            } catch (Problem problem) {
                assertThat(problem.note()).isNotBlank();
            }
        }
    }

    @Test
    void theEntriesCanBeStoredToo() throws IOException {
        var entry = new ZipArchiveEntry("SKILL.md");
        entry.setMethod(ZipEntry.STORED);
        var bytes = MAIN.getBytes(StandardCharsets.UTF_8);
        entry.setSize(bytes.length);
        var crc = new java.util.zip.CRC32();
        crc.update(bytes);
        entry.setCrc(crc.getValue());
        assertThat(SkillArchive.read(new Draft().with(entry, bytes).bytes()).name())
                .isEqualTo("pdf-forms");
    }
}
