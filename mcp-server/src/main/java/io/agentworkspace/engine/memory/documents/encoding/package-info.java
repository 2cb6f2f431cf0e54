/** The encoding of a text that declares none: {@code EncodingDetector} compares how likely its letters are in each language. */
@NullMarked
package io.agentworkspace.engine.memory.documents.encoding;

import org.jspecify.annotations.NullMarked;
