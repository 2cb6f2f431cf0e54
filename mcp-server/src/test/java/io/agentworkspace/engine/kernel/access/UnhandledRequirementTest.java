package io.agentworkspace.engine.kernel.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Access fails closed: a new requirement that is not handled does not compile. */
@Tag("slow")
class UnhandledRequirementTest {
    private static final String NEW = "FORGOTTEN(\"what nobody thought of\"),\n";

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Looks into the jars of the class path once. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private static final List<Path> SOURCES = Repository.sources();

    @TempDir
    private static Path classes;

    @AfterAll
    static void close() throws IOException {
        FILES.close();
    }

    @ParameterizedTest
    @CsvSource({
        "OfAgent, AgentAccess",
        "OfDomain, DomainAccess",
        "OfBank, BankAccess",
        "OfKey, KeyAccess",
        "OfDocument, DocumentAccess",
        "OfUser, UserAccess",
        "OfCredential, AccessCheck"
    })
    void doesNotCompile(String kind, String check) {
        var requirement = read(Requirement.class.getSimpleName());
        var constants = "enum %s implements Requirement {\n".formatted(kind);
        assertThat(requirement).contains(constants);
        assertThat(errors(requirement, check)).isEmpty();
        assertThat(errors(requirement.replace(constants, constants + NEW), check))
                .anyMatch(error -> error.startsWith("/" + check + ".java: ")
                        && error.contains("does not cover all possible input values"));
    }

    private static List<String> errors(String requirement, String check) {
        var errors = new DiagnosticCollector<JavaFileObject>();
        var options = List.of(
                "-proc:none",
                "-XDcompilePolicy=simple",
                "--should-stop=ifError=FLOW",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"));
        COMPILER.getTask(
                        null,
                        FILES,
                        errors,
                        options,
                        null,
                        List.of(source("Requirement", requirement), source(check, read(check))))
                .call();
        return errors.getDiagnostics().stream()
                .filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
                .map(one -> one.getSource().getName() + ": " + one.getMessage(null))
                .toList();
    }

    private static String read(String type) {
        return Repository.text(SOURCES.stream()
                .filter(file -> file.endsWith(type + ".java") && file.toString().contains("/src/main/"))
                .findFirst()
                .orElseThrow());
    }

    private static JavaFileObject source(String type, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + type + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
