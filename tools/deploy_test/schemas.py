"""Writes a JSON schema for each kind of the Kubernetes API and of custom resources: schemas.py TARGET SWAGGER.JSON CRD.YAML…

The schemas are strict: an object with known fields has no others."""

import json
import os
import sys

import yaml

# A plain `=`, which the rules of the Prometheus operator have as a value.
yaml.SafeLoader.add_constructor("tag:yaml.org,2002:value", yaml.SafeLoader.construct_yaml_str)


def strict(schema):
    """Returns the schema without unknown fields and with a null for each optional one, as the API server reads them."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
        return {"type": ["string", "integer"]}
    result = {name: strict(value) for name, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        result["properties"] = {name: strict(value) for name, value in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            result.setdefault("additionalProperties", False)
    return result


def write(folder, group, version, kind, schema):
    # kubeconform names the first part of the group (networking-v1), and nothing for the core group (v1).
    name = "-".join(part for part in (kind.lower(), group.split(".")[0], version) if part) + ".json"
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(schema, file)


def write_kubernetes(folder, swagger):
    with open(swagger, encoding="utf-8") as file:
        definitions = json.load(file)["definitions"]
    kinds = [(name, kind) for name, each in definitions.items() for kind in each.get("x-kubernetes-group-version-kind", [])]
    definitions = strict(definitions)
    # A quantity is a text or a number; an object's metadata are complete without a selfLink.
    definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = {"type": ["string", "number"]}
    for name, kind in kinds:
        needed, open_names = {}, [name]
        while open_names:
            current = open_names.pop()
            if current in needed:
                continue
            needed[current] = definitions[current]
            text = json.dumps(definitions[current])
            open_names += [part.split('"')[0] for part in text.split('"#/definitions/')[1:]]
        write(folder, kind["group"], kind["version"], kind["kind"], {"definitions": needed, "$ref": f"#/definitions/{name}"})


def write_custom(folder, path):
    with open(path, encoding="utf-8") as file:
        spec = yaml.safe_load(file)["spec"]
    for version in spec["versions"]:
        schema = strict(version["schema"]["openAPIV3Schema"])
        # The API server checks the metadata of custom resources itself.
        schema["properties"]["metadata"] = {"type": "object"}
        write(folder, spec["group"], version["name"], spec["names"]["kind"], schema)


def main():
    folder, swagger, *crds = sys.argv[1:]
    write_kubernetes(folder, swagger)
    for each in crds:
        write_custom(folder, each)


main()
