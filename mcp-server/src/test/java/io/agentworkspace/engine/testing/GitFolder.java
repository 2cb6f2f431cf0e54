package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A folder in which the real git runs. */
public record GitFolder(Path path, Map<String, String> environment) {
    /** What a program printed, and how it ended. */
    public record Ended(int code, String output) {
        public Ended good() {
            assertThat(code).as(output).isZero();
            return this;
        }

        public Ended refused(String... words) {
            assertThat(output).contains(words);
            assertThat(code).isNotZero();
            return this;
        }
    }

    /** Makes a repository with one commit. */
    public static GitFolder init(Path path) {
        var folder = new GitFolder(path, Map.of());
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        folder.git("init", "--quiet", "--initial-branch=main").good();
        folder.write("README.md", "text");
        folder.commit("README.md").good();
        return folder;
    }

    public GitFolder at(String folder) {
        return new GitFolder(path.resolve(folder).normalize(), environment);
    }

    /** With these variables besides. */
    public GitFolder with(Map<String, String> more) {
        var all = new HashMap<>(environment);
        all.putAll(more);
        return new GitFolder(path, all);
    }

    public Ended run(String... command) {
        try {
            var process = new ProcessBuilder(command).directory(path.toFile()).redirectErrorStream(true);
            process.environment().putAll(environment);
            process.environment().put("LC_ALL", "C.UTF-8");
            var running = process.start();
            running.getOutputStream().close();
            var output = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(running.waitFor(), output);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    public Ended git(String... arguments) {
        var command = new ArrayList<>(List.of(
                "git",
                "-c",
                "user.name=Bob",
                "-c",
                "user.email=bob@localhost",
                "-c",
                "protocol.file.allow=always",
                "-c",
                "advice.addEmbeddedRepo=false"));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    public void write(String file, String text) {
        try {
            Files.createDirectories(path.resolve(file).getParent());
            Files.writeString(path.resolve(file), text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Commits all changes, a new line in this file among them. */
    public Ended commit(String file) {
        try {
            var text = Files.exists(path.resolve(file)) ? Files.readString(path.resolve(file)) : "";
            write(file, text + "line\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        git("add", "-A").good();
        return git("commit", "--quiet", "-m", "A change");
    }

    /** Makes a script a hook of this repository. */
    public void hook(Path script) {
        var hooks = path.resolve(
                git("rev-parse", "--git-path", "hooks").good().output().strip());
        try {
            Files.createDirectories(hooks);
            Files.copy(script, hooks.resolve("pre-commit"));
            assertThat(hooks.resolve("pre-commit").toFile().setExecutable(true)).isTrue();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
