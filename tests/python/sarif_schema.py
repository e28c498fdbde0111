"""The parts of SARIF 2.1.0 that are written, from the standard's own tables (OASIS, sections 3.13 to 3.58)."""

from __future__ import annotations

from typing import Any

MESSAGE: dict[str, Any] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
    "additionalProperties": False,
}
ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "additionalProperties": False,
    "properties": {
        "uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~/:%-]+$"},
        "uriBaseId": {"type": "string"},
    },
}
REGION = {
    "type": "object",
    "additionalProperties": False,
    "minProperties": 1,
    "properties": {
        **{name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn", "endLine", "endColumn")},
        **{name: {"type": "integer", "minimum": 0} for name in ("byteOffset", "byteLength")},
    },
}
PHYSICAL = {
    "type": "object",
    "required": ["artifactLocation"],
    "additionalProperties": False,
    "properties": {"artifactLocation": ARTIFACT, "region": REGION},
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "originalUriBaseIds": {
                        "type": "object",
                        "additionalProperties": {
                            "type": "object",
                            "properties": {"uri": {"type": "string", "pattern": "^file:///.*/$"}},
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "additionalProperties": False,
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["message"],
                                        "additionalProperties": False,
                                        "properties": {"level": LEVEL, "message": MESSAGE},
                                    },
                                },
                            },
                        },
                    },
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "informationUri": {"type": "string", "pattern": "^https://"},
                                    "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": MESSAGE,
                                                "fullDescription": MESSAGE,
                                                "help": {
                                                    **MESSAGE,
                                                    "required": ["text", "markdown"],
                                                    "properties": {
                                                        **MESSAGE["properties"],
                                                        "markdown": {"type": "string", "minLength": 1},
                                                    },
                                                },
                                                "helpUri": {"type": "string", "pattern": "^https://"},
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": LEVEL},
                                                    "additionalProperties": False,
                                                },
                                                "properties": {"type": "object"},
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "partialFingerprints"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": LEVEL,
                                "kind": {"enum": ["pass", "fail", "open", "informational"]},
                                "rank": {"type": "number", "minimum": 0, "maximum": 100},
                                "message": MESSAGE,
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string", "minLength": 1},
                                },
                                "properties": {"type": "object"},
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {
                                            "physicalLocation": PHYSICAL,
                                            "logicalLocations": {
                                                "type": "array",
                                                "items": {
                                                    "type": "object",
                                                    "additionalProperties": False,
                                                    "properties": {
                                                        "fullyQualifiedName": {"type": "string"},
                                                        "kind": {"type": "string"},
                                                    },
                                                },
                                            },
                                        },
                                    },
                                },
                                "relatedLocations": {
                                    "type": "array",
                                    "uniqueItems": True,
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {
                                            "id": {"type": "integer", "minimum": 0},
                                            "physicalLocation": PHYSICAL,
                                            "message": MESSAGE,
                                        },
                                    },
                                },
                                "codeFlows": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["threadFlows"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "threadFlows": {
                                                "type": "array",
                                                "minItems": 1,
                                                "items": {
                                                    "type": "object",
                                                    "required": ["locations"],
                                                    "additionalProperties": False,
                                                    "properties": {
                                                        "locations": {
                                                            "type": "array",
                                                            "minItems": 1,
                                                            "items": {
                                                                "type": "object",
                                                                "additionalProperties": False,
                                                                "properties": {
                                                                    "nestingLevel": {"type": "integer", "minimum": 0},
                                                                    "location": {
                                                                        "type": "object",
                                                                        "required": ["physicalLocation", "message"],
                                                                        "properties": {
                                                                            "physicalLocation": PHYSICAL,
                                                                            "message": MESSAGE,
                                                                        },
                                                                    },
                                                                },
                                                            },
                                                        }
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                                "fixes": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["artifactChanges"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "description": MESSAGE,
                                            "properties": {"type": "object"},
                                            "artifactChanges": {
                                                "type": "array",
                                                "minItems": 1,
                                                "items": {
                                                    "type": "object",
                                                    "required": ["artifactLocation", "replacements"],
                                                    "additionalProperties": False,
                                                    "properties": {
                                                        "artifactLocation": ARTIFACT,
                                                        "replacements": {
                                                            "type": "array",
                                                            "minItems": 1,
                                                            "items": {
                                                                "type": "object",
                                                                "required": ["deletedRegion"],
                                                                "additionalProperties": False,
                                                                "properties": {
                                                                    "deletedRegion": REGION,
                                                                    "insertedContent": {
                                                                        "type": "object",
                                                                        "properties": {"text": {"type": "string"}},
                                                                        "additionalProperties": False,
                                                                    },
                                                                },
                                                            },
                                                        },
                                                    },
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
