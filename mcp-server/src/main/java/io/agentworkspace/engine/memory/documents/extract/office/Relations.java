package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The parts that a part of an Office document refers to, by their ids. What is outside the document is left out. */
final class Relations {
    private record Target(String type, String part) {}

    private final Map<String, Target> targets = new LinkedHashMap<>();

    private final ZipPackage zip;

    private Relations(ZipPackage zip) {
        this.zip = zip;
    }

    /** Returns those of a part; those of the package for an empty name. */
    static Relations of(ZipPackage zip, String part) {
        var relations = new Relations(zip);
        zip.read(name(part), relations.reader(part));
        return relations;
    }

    /** Returns those of a part that has its own text; those of which nothing is known any more are none. */
    static Relations ofOptional(ZipPackage zip, String part) {
        var relations = new Relations(zip);
        if (zip.has(name(part))) {
            zip.readOptional(name(part), relations.reader(part));
        }
        return relations;
    }

    private static String name(String part) {
        var name = part.lastIndexOf('/') + 1;
        return part.substring(0, name) + "_rels/" + part.substring(name) + ".rels";
    }

    private ZipPackage.Elements reader(String part) {
        return (element, reader) -> {
            if (element.equals("Relationship")
                    && !ZipPackage.attribute(reader, "TargetMode").equals("External")) {
                var target = resolved(part, ZipPackage.attribute(reader, "Target"));
                targets.put(
                        ZipPackage.attribute(reader, "Id"), new Target(ZipPackage.attribute(reader, "Type"), target));
            }
        };
    }

    private static String resolved(String part, String target) {
        try {
            var path = URI.create("/" + part.replace(" ", "%20"))
                    .resolve(target.replace(" ", "%20"))
                    .getPath();
            return path == null ? "" : path.replaceFirst("^/+", "");
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Returns the name of a part by its id; an empty text if there is none. */
    String part(String id) {
        var target = targets.get(id);
        return target == null ? "" : target.part();
    }

    /** Returns the names of the parts of a type, by the last word of the type. */
    List<String> ofType(String word) {
        return targets.values().stream()
                .filter(target -> target.type().endsWith("/" + word))
                .map(Target::part)
                .toList();
    }

    /**
     * Reads the first part of a type, by the last word of the type, if there is one. Its text can do without it.
     *
     * @param usual its name where nothing refers to it
     */
    void readOptional(String word, String usual, ZipPackage.Elements elements) {
        ofType(word).stream()
                .findFirst()
                .or(() -> Optional.of(usual).filter(zip::has))
                .ifPresent(part -> zip.readOptional(part, elements));
    }

    /** Returns the name of the main part of a package. */
    static String main(ZipPackage zip, String usual) {
        return ofOptional(zip, "").ofType("officeDocument").stream()
                .filter(zip::has)
                .findFirst()
                .orElse(usual);
    }
}
