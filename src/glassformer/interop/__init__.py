"""Other people's weights and engines.

torch_nn.py           weights to and from torch's own modules
marian.py             names and config of Marian / OPUS-MT models
marian_folder.py      such a model's folder -> model, tokenizer, search
hub.py                fetch a model, push a run
export.py             a run -> a folder for another engine; text_files.py and readme.py write what all of them need
marian_export.py      for transformers
ctranslate2_model.py  for CTranslate2; ctranslate2.py is the engine that translates with it
graphs.py             the encoder and a decoder's step as two graphs: onnx.py, torch_export.py
"""
