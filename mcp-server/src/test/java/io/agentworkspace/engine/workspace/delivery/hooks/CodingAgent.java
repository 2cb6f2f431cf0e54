package io.agentworkspace.engine.workspace.delivery.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A coding agent from npm with a home, an environment and a project of its own, and a scripted model. */
final class CodingAgent {
    private static final String FAKE = "sk-ant-fake-000000000000000000000000";
    private static final String PLUGIN = "workspace@agent-workspace";

    private final Path home;
    private final Path project;
    private final Map<String, String> environment = new LinkedHashMap<>();

    CodingAgent(Path home) {
        this(home, home.resolve("project"));
    }

    /** @param project the folder that it works in */
    CodingAgent(Path home, Path project) {
        this.home = home;
        this.project = project;
        Node.require();
        environment.put("PATH", Node.client(".bin") + ":" + Node.module(".bin") + ":" + System.getenv("PATH"));
        environment.put("HOME", home.toString());
        environment.put("TMPDIR", home.resolve("tmp").toString());
        environment.put("LANG", "C.UTF-8");
        environment.put("TERM", "xterm-256color");
        environment.putAll(Node.COMPILED);
        for (var off : List.of(
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL",
                "DISABLE_AUTOUPDATER",
                "DISABLE_TELEMETRY",
                "DISABLE_ERROR_REPORTING")) {
            environment.put(off, "1");
        }
        create(project);
        create(home.resolve("tmp"));
    }

    /** Leaves the listener out: otherwise either it or a hook announces a message, whichever is first. */
    CodingAgent withoutListener() {
        environment.put("ENGINE_LISTENER", "off");
        return this;
    }

    private static void create(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String path, String text) {
        try {
            create(home.resolve(path).getParent());
            Files.writeString(home.resolve(path), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies a folder below {@code clients}, with the address of this engine. */
    private Path copied(String folder, String url) {
        var source = Repository.ROOT.resolve("clients").resolve(folder);
        var copy = home.resolve("source");
        try (var files = Files.walk(source)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                write("source/" + source.relativize(file), Repository.text(file).replace("http://127.0.0.1:8080", url));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copy;
    }

    /** Uses a model without any configuration: the programs take it from the environment, and Codex from its arguments. */
    CodingAgent withModel(ScriptedModel model) {
        environment.put("ANTHROPIC_BASE_URL", model.url());
        environment.put("ANTHROPIC_API_KEY", FAKE);
        environment.put("STUB_KEY", "fake");
        environment.put("GEMINI_API_KEY", "fake");
        environment.put("GOOGLE_GEMINI_BASE_URL", model.url());
        environment.put("GEMINI_CLI_NO_RELAUNCH", "true");
        return this;
    }

    /** Notes how the user of Gemini CLI signs in. Without this, it takes the model's address for that of a gateway. */
    void signInToGemini() {
        write(".gemini/settings.json", "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}");
    }

    /** Runs the line that an invitation shows. */
    String join(String url, String arguments) {
        // Without a terminal of its own, the script would ask whoever runs the tests.
        return run("/bin/sh", "-c", "curl -fsS %s/join | setsid sh -s -- %s".formatted(url, arguments));
    }

    /** Installs Claude Code with the plugin. */
    CodingAgent claude(ScriptedModel model, String url, String key) {
        claude(model);
        run("claude", "plugin", "marketplace", "add", copied("", url).toString());
        run("claude", "plugin", "install", PLUGIN, "--config", "url=" + url, "--config", "key=" + key);
        return this;
    }

    /** Installs Claude Code as it is before it joins. */
    CodingAgent claude(ScriptedModel model) {
        withModel(model);
        write(".claude.json", """
                {"hasCompletedOnboarding":true,"theme":"dark","bypassPermissionsModeAccepted":true,"numStartups":5,
                 "customApiKeyResponses":{"approved":["%s"],"rejected":[]},
                 "projects":{"%s":{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"allowedTools":[]}}}
                """.formatted(FAKE.substring(FAKE.length() - 20), project));
        write(".claude/settings.json", "{\"skipDangerousModePermissionPrompt\":true}");
        return this;
    }

    /**
     * Installs Codex with the plugin.
     *
     * @param name the name of the model: it decides how Codex offers tools, and what it asks when it starts
     */
    CodingAgent codex(ScriptedModel model, String name, String url, String key) {
        codex(model, name);
        environment.put("ENGINE_URL", url);
        environment.put("ENGINE_KEY", key);
        run("codex", "plugin", "marketplace", "add", copied("", url).toString());
        run("codex", "plugin", "add", PLUGIN);
        return this;
    }

    /** Installs Codex as it is before it joins. */
    CodingAgent codex(ScriptedModel model, String name) {
        withModel(model);
        environment.put("HTTPS_PROXY", "http://127.0.0.1:9"); // Its background server looks for updates.
        write(".codex/config.toml", """
                model = "%s"
                model_provider = "stub"
                approval_policy = "never"
                sandbox_mode = "danger-full-access"
                check_for_update_on_startup = false
                [analytics]
                enabled = false
                [model_providers.stub]
                name = "stub"
                base_url = "%s/v1"
                env_key = "STUB_KEY"
                wire_api = "responses"
                supports_websockets = false
                [projects."%s"]
                trust_level = "trusted"
                """.formatted(name, model.url(), project));
        return this;
    }

    /** Installs Gemini CLI with the extension. */
    CodingAgent gemini(ScriptedModel model, String url, String key) {
        withModel(model);
        environment.put("ENGINE_URL", url);
        environment.put("ENGINE_KEY", key);
        write(".gemini/settings.json", """
                {"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},
                 "privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"ui":{"hideTips":true},
                 "general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"ide":{"hasSeenNudge":true,"enabled":false}}
                """);
        run("gemini", "extensions", "link", copied("gemini-cli/extension", url).toString(), "--consent");
        return this;
    }

    /** Installs one of the clients without a plugin of ours as it is before it joins, with a model that speaks Messages. */
    CodingAgent other(ScriptedModel model) {
        withModel(model);
        environment.put("HTTPS_PROXY", "http://127.0.0.1:9"); // They look for updates, and for news of models.
        environment.put("NO_PROXY", "127.0.0.1");
        environment.put("ANTHROPIC_MODEL", "claude-sonnet-4-5");
        environment.put("COPILOT_PROVIDER_BASE_URL", model.url());
        environment.put("COPILOT_PROVIDER_TYPE", "anthropic");
        environment.put("COPILOT_PROVIDER_API_KEY", FAKE);
        environment.put("COPILOT_MODEL", "claude-sonnet-4-5");
        environment.put("COPILOT_OFFLINE", "true");
        environment.put("OPENCODE_DISABLE_MODELS_FETCH", "1");
        environment.put("OPENCODE_DISABLE_AUTOUPDATE", "1");
        environment.put("npm_config_fetch_retries", "0"); // It installs types for plugins, for editors.
        write(".config/opencode/opencode.json", """
                {"model": "anthropic/claude-sonnet-4-5", "small_model": "anthropic/claude-sonnet-4-5",
                 "provider": {"anthropic": {"options": {"baseURL": "%s/v1"}}}}
                """.formatted(model.url()));
        write(".qwen/settings.json", """
                {"security": {"auth": {"selectedType": "anthropic"}}, "privacy": {"usageStatisticsEnabled": false}}
                """);
        return this;
    }

    /** Runs a command to its end, and returns what it printed. */
    String run(String... command) {
        try {
            var output = home.resolve("output");
            var process = builder(List.of(command))
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            var ended = process.waitFor(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS);
            process.destroyForcibly();
            var printed = Files.readString(output);
            assertThat(ended).as("%s ended: %s", command[0], printed).isTrue();
            assertThat(process.exitValue())
                    .as(String.join(" ", command) + ": " + printed)
                    .isZero();
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private ProcessBuilder builder(List<String> command) {
        var all = new ArrayList<String>();
        all.add(program(command.getFirst()));
        all.addAll(command.subList(1, command.size()));
        var builder = new ProcessBuilder(all).directory(project.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder;
    }

    /** Claude Code's package for this machine has the program; npm's own link needs an install script. */
    private static String program(String name) {
        if (name.startsWith("/")) {
            return name;
        } else if (!name.equals("claude")) {
            return Node.client(".bin/" + name).toString();
        }
        try (var packages = Files.list(Node.client("@anthropic-ai"))) {
            return packages.map(each -> each.resolve("claude"))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow()
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts Codex as a person would, with the background server that it starts, and trusts its hooks if it asks. */
    Terminal codexTerminal(String prompt) {
        var terminal = terminal("codex", prompt);
        var servers = home.resolve(".codex/app-server-daemon");
        terminal.atEnd(() -> List.of("daemon.pid", "daemon-updater.pid").forEach(each -> end(servers.resolve(each))));
        await("the question").until(() -> hasTrusted() || terminal.screen().contains("review"));
        if (!hasTrusted()) {
            await("its choice").until(() -> {
                terminal.type("2"); // A key that comes too soon is ignored.
                return terminal.screen().contains("› 2. Trust all");
            });
            await("trust").until(() -> {
                terminal.type("\r");
                return hasTrusted();
            });
        }
        return terminal;
    }

    private boolean hasTrusted() {
        var config = home.resolve(".codex/config.toml");
        return Repository.text(config).contains("trusted_hash");
    }

    /** Ends the process whose number a file of Codex has. */
    private static void end(Path file) {
        if (Files.exists(file)) {
            var pid = Json.readObject(Repository.text(file).getBytes(StandardCharsets.UTF_8))
                    .path("pid")
                    .asLong();
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** Starts the program for an application that writes to it and reads from it. */
    AppServer appServer() {
        try {
            return new AppServer(builder(List.of("codex", "app-server"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the program as a person would, in a terminal. */
    Terminal terminal(String... command) {
        var inner = builder(List.of(command));
        var line = String.join(
                " ", inner.command().stream().map(part -> "'" + part + "'").toList());
        inner.command("script", "-qfec", "stty cols 160 rows 48; exec " + line, "/dev/null")
                .redirectErrorStream(true);
        try {
            return new Terminal(inner.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A program in a terminal that shows nothing, but answers the program's question where the cursor is. */
    static final class Terminal implements AutoCloseable {
        private final Process process;
        private final StringBuffer screen = new StringBuffer();
        private Runnable last = () -> {};

        private Terminal(Process process) {
            this.process = process;
            Thread.startVirtualThread(this::read);
        }

        private void read() {
            var buffer = new byte[8192];
            try (var in = process.getInputStream()) {
                for (var length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    var text = new String(buffer, 0, length, StandardCharsets.UTF_8);
                    screen.append(text);
                    if (text.contains("\u001b[6n")) {
                        type("\u001b[1;1R");
                    }
                    if (text.contains("\u001b[c")) {
                        type("\u001b[?62;c");
                    }
                }
            } catch (IOException e) {
                // The program has ended.
            }
        }

        String screen() {
            return screen.toString();
        }

        Process process() {
            return process;
        }

        /** Adds what is done when it is closed. */
        void atEnd(Runnable work) {
            last = work;
        }

        void type(String keys) {
            try {
                process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            } catch (IOException e) {
                await(e.toString()).until(() -> !process.isAlive());
            }
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            last.run();
        }
    }
}
