package io.agentworkspace.engine.skills;

import io.agentworkspace.engine.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A skill's folder on a file system, which is not trusted: symbolic links and other special files are refused. */
public final class SkillFolder {
    private SkillFolder() {}

    /** @throws Problem as {@link Skill#of} does, before more is read than the limits allow */
    public static Skill read(Path folder) {
        var root = folder.toAbsolutePath().normalize();
        var name = root.getFileName();
        if (name == null || !Files.isDirectory(root)) {
            throw Problem.invalid("the skill", "must be a folder, and '%s' is none".formatted(folder));
        }
        var collector = new Collector(root);
        try {
            Files.walkFileTree(root, collector);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Skill.of(name.toString(), collector.files);
    }

    private static final class Collector extends SimpleFileVisitor<Path> {
        private final Path root;
        private final List<SkillFile> files = new ArrayList<>();

        Collector(Path root) {
            this.root = root;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (!folder.equals(root)) {
                SkillFile.checkPath(relative(folder));
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            var path = relative(file);
            if (!attributes.isRegularFile()) {
                throw Problem.invalid("the file '%s'".formatted(path), "must be a plain file, not a link or a device");
            }
            if (attributes.size() > SkillFile.MAX_BYTES) {
                throw Problem.tooLarge(
                        "the file '%s'".formatted(path), attributes.size(), SkillFile.MAX_BYTES, "bytes");
            }
            files.add(SkillFile.of(path, Files.readAllBytes(file)));
            Skill.checkSum(files);
            return FileVisitResult.CONTINUE;
        }

        private String relative(Path path) {
            return StreamSupport.stream(root.relativize(path).spliterator(), false)
                    .map(Path::toString)
                    .collect(Collectors.joining("/"));
        }
    }
}
